"""StreamReader: bytes of one answer, with their stamps, to a Transcript; incremental, so that it can be asked midway.

The transport feeds it lazily: only when a deadline passes or the line is quiet. Nothing here raises for what a
server sends; what is wrong with a body is written into the transcript.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from probes.endpoint import Limits
from probes.json_access import object_of
from probes.protocols import get_protocol
from probes.protocols.protocol import BrokenMessageError, Framing
from probes.streams.aws_event_stream import AwsEventStreamDecoder
from probes.streams.json_array import JsonArrayDecoder
from probes.streams.json_lines import JsonLinesDecoder
from probes.streams.message import Decoder, EventTooLargeError, Message, StreamFormatError
from probes.streams.sse import BYTE_ORDER_MARK, SseDecoder
from probes.transcript import Transcript

BLANK = b" \t\r\n"


class StreamReader:
    """`StreamReader(protocol, headers, limits)`; `feed(body, at_ns)` per read; `finish(at_ns)` at the end of the body.

    `protocol` is a slug or alias; `headers` are the answer's, names lower-cased. Raises UnknownProtocolError only.
    """

    def __init__(
        self, protocol: str, headers: Mapping[str, str] | None = None, limits: Limits | None = None
    ) -> None:
        self._protocol = get_protocol(protocol)
        self._headers = headers or {}
        self._limits = limits or Limits()
        self._decoder: Decoder | None = None
        self._document: list[bytes] | None = None
        self._document_bytes = 0
        self._start = b""
        self._total_bytes = 0
        self._is_dead = False
        self.transcript = Transcript()
        self.oversized = False
        """More bytes, or a larger event, than the limits allow: stop reading."""

    @property
    def first_content_ns(self) -> int | None:
        """When the first content event of any kind was complete; None while there is none."""
        arrivals = self.transcript.arrivals
        return arrivals[0].at_ns if arrivals else None

    @property
    def last_content_ns(self) -> int | None:
        arrivals = self.transcript.arrivals
        return arrivals[-1].at_ns if arrivals else None

    @property
    def is_terminal(self) -> bool:
        """The protocol's last word has come: hang up without waiting for the server."""
        return self.transcript.is_last_seen

    @property
    def has_finished(self) -> bool:
        """A terminal marker of any sort has come; usage may still follow a finish reason."""
        return self.transcript.finished_ns is not None

    @property
    def has_error(self) -> bool:
        return self.transcript.error is not None

    def feed(self, body: bytes, at_ns: int) -> None:
        self._total_bytes += len(body)
        if self._total_bytes > self._limits.max_bytes:
            self.oversized = True
        if self._is_dead or self.oversized:
            return
        if self._decoder is None and self._document is None:
            body = self._choose(body)
        if self._document is not None:
            self._keep(body)
        elif self._decoder is not None and body:
            self._take(self._decoder.feed(body), at_ns)

    def finish(self, at_ns: int, *, is_whole: bool = True) -> Transcript:
        """Everything left over is read as it stands; safe to call once, after the last feed.

        Where the body was cut off (a reset, a limit), half an event at its end is nobody's fault and is dropped.
        """
        if not self._is_dead and not self.oversized:
            if self._document is not None:
                self._read_document(b"".join(self._document), at_ns, is_whole=is_whole)
            elif self._decoder is not None and is_whole:
                self._take(self._decoder.finish(), at_ns)
            if is_whole:
                self._name_foreign_body()
        self._read_headers(at_ns)
        return self.transcript

    def _choose(self, body: bytes) -> bytes:
        """Pick the decoder by protocol and first byte, since content types lie; returns the bytes to decode."""
        self._start = (self._start + body).lstrip(BLANK)
        text = self._start.removeprefix(BYTE_ORDER_MARK).lstrip(BLANK)
        if not text or BYTE_ORDER_MARK.startswith(self._start):
            self.oversized = self._total_bytes > self._limits.max_event_bytes
            return b""
        limit, first = self._limits.max_event_bytes, text[:1]
        framing = self._protocol.framing
        if first == b"{" and framing is Framing.JSON_LINES:
            self._decoder = JsonLinesDecoder(limit)
        elif first == b"[":
            self._decoder = JsonArrayDecoder(limit)
        elif first in (b"{", b"<"):
            self._document = []
            return text
        elif framing is Framing.AWS_EVENT_STREAM:
            self._decoder = AwsEventStreamDecoder(limit)
            return self._start
        else:
            self._decoder = SseDecoder(limit)
            return self._start
        return text

    def _keep(self, body: bytes) -> None:
        if self._document is not None:
            self._document.append(body)
            self._document_bytes += len(body)
            self.oversized = self._document_bytes > self._limits.max_event_bytes

    def _take(self, messages: Iterator[Message], at_ns: int) -> None:
        try:
            for message in messages:
                self._read(message, at_ns)
        except EventTooLargeError:
            self.oversized = self._is_dead = True
        except StreamFormatError as fault:
            self._break(str(fault))

    def _read(self, message: Message, at_ns: int) -> None:
        if self._is_dead:
            return
        if message.data.strip() != "[DONE]":
            self.transcript.events += 1
        try:
            events = self._protocol.read(message)
        except BrokenMessageError as fault:
            self._break(str(fault))
        else:
            self.transcript.add(events, at_ns)

    def _break(self, reason: str) -> None:
        """Junk after the protocol's last word hides no tokens."""
        self._is_dead = True
        if not self.transcript.is_last_seen:
            self.transcript.broken = reason

    def _read_document(self, body: bytes, at_ns: int, *, is_whole: bool) -> None:
        try:
            document = json.loads(body.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            is_html = body[:1] == b"<"
            if is_whole or is_html:
                self.transcript.bad_body = (
                    f"{'an HTML page' if is_html else 'broken JSON'} instead of a stream"
                )
            return
        self.transcript.events += 1
        self.transcript.is_whole_answer = True
        self.transcript.add(self._protocol.read_answer(object_of(document)), at_ns)

    def _name_foreign_body(self) -> None:
        transcript = self.transcript
        if transcript.events == 1 and isinstance(self._decoder, JsonLinesDecoder):
            content_type = self._headers.get("content-type", "")
            transcript.is_whole_answer = content_type.partition(";")[0].strip() == "application/json"
        if isinstance(self._decoder, SseDecoder) and not (transcript.events or transcript.is_last_seen):
            is_foreign = not self._decoder.comment_lines and bool(self._start.strip(BLANK))
            transcript.bad_body = "neither a stream nor JSON" if is_foreign else None

    def _read_headers(self, at_ns: int) -> None:
        if self._protocol.read_headers is not None:
            self.transcript.add(self._protocol.read_headers(self._headers), at_ns)
