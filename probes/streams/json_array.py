"""One JSON array sent bit by bit, as Gemini does without `alt=sse`: each element is a message as soon as it closes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probes.streams.message import EventTooLargeError, Message, StreamFormatError

OUTSIDE_STRING = re.compile(rb'["{}\[\]]')
INSIDE_STRING = re.compile(rb'["\\]')


class JsonArrayDecoder:
    """Tracks nesting and strings only; whether an element is valid JSON is for its reader to say."""

    def __init__(self, max_event_bytes: int = 1_000_000) -> None:
        self._max_event_bytes = max_event_bytes
        self._depth = 0
        self._in_string = False
        self._skip_next = False
        self._element: list[bytes] = []
        self._element_bytes = 0

    def feed(self, chunk: bytes) -> Iterator[Message]:
        position = element_start = 0
        while position < len(chunk):
            if self._skip_next:
                self._skip_next = False
                position += 1
                continue
            found = (INSIDE_STRING if self._in_string else OUTSIDE_STRING).search(chunk, position)
            if found is None:
                break
            position = found.end()
            if self._in_string or found.group() == b'"':
                self._step_string(found.group())
            elif found.group() in b"{[":
                self._depth += 1
                if self._depth == 2:
                    element_start = found.start()
            elif self._close():
                self._hold(chunk[element_start:position])
                yield self._take()
        if self._depth >= 2:
            self._hold(chunk[element_start:])

    def finish(self) -> Iterator[Message]:
        if self._element:
            yield self._take()

    def _step_string(self, mark: bytes) -> None:
        if mark == b"\\":
            self._skip_next = True
        else:
            self._in_string = not self._in_string

    def _close(self) -> bool:
        """True when an element of the outer array is complete."""
        self._depth -= 1
        if self._depth < 0:
            raise StreamFormatError("a JSON array closes more than it opened")
        return self._depth == 1

    def _hold(self, part: bytes) -> None:
        self._element.append(part)
        self._element_bytes += len(part)
        if self._element_bytes > self._max_event_bytes:
            raise EventTooLargeError(f"an element is larger than {self._max_event_bytes} bytes")

    def _take(self) -> Message:
        whole = b"".join(self._element)
        self._element.clear()
        self._element_bytes = 0
        return Message(whole.decode("utf-8", "replace"))
