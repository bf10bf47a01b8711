"""Server-sent events: LF, CRLF and CR end a line, a blank line ends an event, U+2028 is only text.

An event without its blank line at the end of the body is still delivered: providers cut the last one off.
"""

from __future__ import annotations

from collections.abc import Iterator

from probes.streams.message import EventTooLargeError, Message

BARE_ERROR = b'{"error"'
"""Local servers drop `data:` when they fail in mid-stream; the specification would have the line ignored."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SseDecoder:
    """`max_event_bytes` bounds one event's lines together, delivered or still pending."""

    def __init__(self, max_event_bytes: int = 1_000_000) -> None:
        self._max_event_bytes = max_event_bytes
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._event_bytes = 0
        self._fields: list[bytes] = []
        self._event_name: str | None = None
        self._after_carriage_return = False
        self._at_start = True
        self.comment_lines = 0

    def feed(self, chunk: bytes) -> Iterator[Message]:
        if self._after_carriage_return and chunk:
            self._after_carriage_return = False
            if chunk[:1] == b"\n":
                chunk = chunk[1:]
        if b"\n" not in chunk and b"\r" not in chunk:
            self._hold(chunk)
            return
        self._after_carriage_return = chunk[-1:] == b"\r"
        lines = chunk.splitlines(keepends=True)
        lines[0] = self._take_pending() + lines[0]
        last = lines.pop() if lines[-1][-1:] not in (b"\n", b"\r") else b""
        for line in lines:
            message = self._read_line(line.rstrip(b"\r\n"))
            if message is not None:
                yield message
        self._hold(last)

    def finish(self) -> Iterator[Message]:
        line = self._take_pending()
        if line:
            self._read_line(line)
        message = self._read_line(b"")
        if message is not None:
            yield message

    def _take_pending(self) -> bytes:
        held = b"".join(self._pending)
        self._pending.clear()
        self._pending_bytes = 0
        return held

    def _hold(self, part: bytes) -> None:
        """Keep an unfinished line as a list of parts: joining at each byte would be quadratic."""
        if part:
            self._pending.append(part)
            self._pending_bytes += len(part)
            self._check_size(self._event_bytes + self._pending_bytes)

    def _check_size(self, size: int) -> None:
        if size > self._max_event_bytes:
            raise EventTooLargeError(f"an event is larger than {self._max_event_bytes} bytes")

    def _read_line(self, line: bytes) -> Message | None:
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(BYTE_ORDER_MARK)
        if not line:
            return self._end_event()
        self._event_bytes += len(line)
        self._check_size(self._event_bytes)
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._fields.append(value)
        elif name == b"event":
            self._event_name = value.decode("utf-8", "replace")
        elif not name:
            self.comment_lines += 1
        elif line.startswith(BARE_ERROR) and not self._fields:
            self._fields.append(line)
        return None

    def _end_event(self) -> Message | None:
        fields, name = self._fields, self._event_name
        self._fields, self._event_name, self._event_bytes = [], None, 0
        if not fields:
            return None
        return Message(b"\n".join(fields).decode("utf-8", "replace"), name)
