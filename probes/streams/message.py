"""What every stream decoder yields, and the two ways in which it gives up.

A decoder has `feed(chunk)` and `finish()`, both iterators over messages. They raise nothing but StreamFormatError,
and only after the messages before the fault were yielded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


class StreamFormatError(Exception):
    """The bytes break the framing; nothing after this point can be read."""


class EventTooLargeError(StreamFormatError):
    """One event is larger than the limit it was given."""


@dataclass(slots=True)
class Message:
    """One framed message: its text and, where the framing names events, its name."""

    data: str
    event: str | None = None
    is_failure: bool = False
    """The framing itself marks this message as an error (AWS exceptions)."""


class Decoder(Protocol):
    """Incremental: any cut of the same bytes gives the same messages."""

    def feed(self, chunk: bytes) -> Iterator[Message]: ...

    def finish(self) -> Iterator[Message]: ...
