"""AWS event streams: length-prefixed binary frames with typed headers and two checksums."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from probes.streams.message import EventTooLargeError, Message, StreamFormatError

PRELUDE = struct.Struct(">III")
CHECKSUM = struct.Struct(">I")
FRAME_OVERHEAD = PRELUDE.size + CHECKSUM.size
FIXED_HEADER_BYTES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Sizes of the header value types that have one: booleans, integers, timestamp, UUID."""
VARIABLE_HEADER_TYPES = (6, 7)
STRING_TYPE = 7


class AwsEventStreamDecoder:
    """A frame is checked twice, its prelude before its length is believed; a bad checksum is the end."""

    def __init__(self, max_event_bytes: int = 1_000_000) -> None:
        self._max_event_bytes = max_event_bytes
        self._buffer = bytearray()
        self._is_prelude_checked = False

    def feed(self, chunk: bytes) -> Iterator[Message]:
        self._buffer += chunk
        while len(self._buffer) >= PRELUDE.size:
            frame_bytes, header_bytes = self._read_prelude()
            if len(self._buffer) < frame_bytes:
                return
            frame = bytes(self._buffer[:frame_bytes])
            del self._buffer[:frame_bytes]
            self._is_prelude_checked = False
            yield _read_frame(frame, header_bytes)

    def finish(self) -> Iterator[Message]:
        if self._buffer:
            raise StreamFormatError("the body ends inside a frame")
        yield from ()

    def _read_prelude(self) -> tuple[int, int]:
        frame_bytes, header_bytes, checksum = PRELUDE.unpack_from(self._buffer)
        if not self._is_prelude_checked:
            if zlib.crc32(self._buffer[: PRELUDE.size - CHECKSUM.size]) != checksum:
                raise StreamFormatError("a frame's prelude does not match its checksum")
            if frame_bytes > self._max_event_bytes:
                raise EventTooLargeError(f"a frame is larger than {self._max_event_bytes} bytes")
            if header_bytes + FRAME_OVERHEAD > frame_bytes:
                raise StreamFormatError("a frame is shorter than its headers")
            self._is_prelude_checked = True
        return frame_bytes, header_bytes


def _read_frame(frame: bytes, header_bytes: int) -> Message:
    (checksum,) = CHECKSUM.unpack_from(frame, len(frame) - CHECKSUM.size)
    if zlib.crc32(frame[: -CHECKSUM.size]) != checksum:
        raise StreamFormatError("a frame does not match its checksum")
    headers = _read_headers(frame[PRELUDE.size : PRELUDE.size + header_bytes])
    payload = frame[PRELUDE.size + header_bytes : -CHECKSUM.size].decode("utf-8", "replace")
    kind = headers.get(":message-type", "event")
    if kind == "error":
        return Message(headers.get(":error-message", payload), headers.get(":error-code"), is_failure=True)
    name = headers.get(":exception-type") if kind == "exception" else headers.get(":event-type")
    return Message(payload, name, is_failure=kind == "exception")


def _read_headers(block: bytes) -> dict[str, str]:
    """Only string values are kept; the others are stepped over."""
    headers: dict[str, str] = {}
    position = 0
    try:
        while position < len(block):
            name_end = position + 1 + block[position]
            name, value_type = block[position + 1 : name_end], block[name_end]
            position = name_end + 1
            if value_type in VARIABLE_HEADER_TYPES:
                (size,) = struct.unpack_from(">H", block, position)
                position += 2
            else:
                size = FIXED_HEADER_BYTES[value_type]
            if value_type == STRING_TYPE:
                value = block[position : position + size]
                headers[name.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
            position += size
    except (IndexError, KeyError, struct.error):
        raise StreamFormatError("a frame's headers cannot be read") from None
    if position != len(block):
        raise StreamFormatError("a frame's headers run past their block")
    return headers
