"""JSON lines: one JSON text a line, blank lines ignored, the last line's end optional."""

from __future__ import annotations

from collections.abc import Iterator

from probes.streams.message import EventTooLargeError, Message


class JsonLinesDecoder:
    """`max_event_bytes` bounds one line, complete or pending."""

    def __init__(self, max_event_bytes: int = 1_000_000) -> None:
        self._max_event_bytes = max_event_bytes
        self._pending: list[bytes] = []
        self._pending_bytes = 0

    def feed(self, chunk: bytes) -> Iterator[Message]:
        *lines, last = chunk.split(b"\n")
        for line in lines:
            yield from self._deliver(line)
        self._hold(last)

    def finish(self) -> Iterator[Message]:
        yield from self._deliver(b"")

    def _hold(self, part: bytes) -> None:
        if part:
            self._pending.append(part)
            self._pending_bytes += len(part)
            if self._pending_bytes > self._max_event_bytes:
                raise EventTooLargeError(f"a line is larger than {self._max_event_bytes} bytes")

    def _deliver(self, line: bytes) -> Iterator[Message]:
        self._hold(line)
        whole = b"".join(self._pending).strip()
        self._pending.clear()
        self._pending_bytes = 0
        if whole:
            yield Message(whole.decode("utf-8", "replace"))
