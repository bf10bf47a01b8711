"""AWS event stream frames, packed by hand."""

from __future__ import annotations

import json
import struct
import zlib


def pack_frame(payload: object, **headers: str) -> bytes:
    """Header names are given without their colon and with underscores: `event_type` is `:event-type`."""
    named = {f":{name.replace('_', '-')}": value for name, value in headers.items()}
    return pack_raw_frame(b"".join(pack_header(name, value) for name, value in named.items()), payload)


def pack_event(event_type: str, payload: object) -> bytes:
    return pack_frame(payload, message_type="event", event_type=event_type)


def pack_header(name: str, value: str) -> bytes:
    text = value.encode()
    return bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(text)) + text


def pack_raw_frame(headers: bytes, payload: object) -> bytes:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    frame = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return frame + struct.pack(">I", zlib.crc32(frame))
