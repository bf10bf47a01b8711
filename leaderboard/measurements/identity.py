"""A sample's id: a UUIDv7 made from its natural key alone, so that the same probe has the same id everywhere."""

from __future__ import annotations

import datetime as dt
import hashlib
import uuid
from dataclasses import dataclass

VERSION_7 = 0x7 << 76
VARIANT_RFC = 0b10 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalKey:
    """What makes a sample itself: one request of one slot."""

    offering_id: str
    """The public one."""
    workload: str
    probe_location: str
    connection_kind: str
    scheduled_at: dt.datetime
    sequence: int = 0


def sample_id(key: NaturalKey) -> uuid.UUID:
    """48 bits of the slot's time in ms, then the form's own bits, then 74 bits of a hash of the whole key."""
    milliseconds = (key.scheduled_at - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(milliseconds=1)
    text = "\n".join(
        (
            key.offering_id,
            key.workload,
            key.probe_location,
            key.connection_kind,
            str(milliseconds),
            str(key.sequence),
        )
    )
    hashed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16])
    low_62, high_12 = hashed & ((1 << 62) - 1), (hashed >> 62) & 0xFFF
    return uuid.UUID(int=milliseconds << 80 | VERSION_7 | high_12 << 64 | VARIANT_RFC | low_62)
