"""Which probes are due: pure functions of timetables, what is in flight, and an instant.

A slot is a UTC multiple of the interval plus the offering's offset. It may start late by half the interval; after
that it is a hole for ever, so downtime costs samples and never causes a burst. Local time has no part in it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
DAILY_STEP_S = 4 * 3600
PROBES_AT_ONCE_PER_PROVIDER = 2
"""A slow provider holds up its own probes and nobody else's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """When one workload of one offering is measured."""

    offering_id: int
    provider_id: int
    workload: str
    interval_s: int
    offset_s: int = 0
    step_s: int = 0
    """How much later in its period each slot comes than the one before, round and round."""
    not_before: dt.datetime | None = None
    """The provider asked us to wait until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueSlot:
    """One probe that may start from `scheduled_at` until `expires_at`."""

    offering_id: int
    provider_id: int
    workload: str
    scheduled_at: dt.datetime
    expires_at: dt.datetime


@dataclass(frozen=True, slots=True)
class InFlight:
    """Probes queued or running now, and so not to be overlapped."""

    offerings: frozenset[int] = frozenset()
    by_provider: Counter[int] = field(default_factory=Counter)


def offset_s(public_id: str, workload: str, interval_s: int) -> int:
    """A whole number of seconds below the interval, always the same for one offering and workload.

    Spreads the offerings over the interval, so that 875 of them are a steady trickle and not eight floods a day.
    """
    digest = hashlib.sha256(f"{public_id} {workload}".encode()).digest()
    return int.from_bytes(digest[:8]) % interval_s


def slot_at(now: dt.datetime, interval_s: int, offset_s: int = 0, step_s: int = 0) -> dt.datetime:
    """The newest slot at or before `now`."""
    number = slot_number(now, interval_s, offset_s, step_s)
    return EPOCH + dt.timedelta(seconds=_slot_s(number, interval_s, offset_s, step_s))


def slot_number(now: dt.datetime, interval_s: int, offset_s: int = 0, step_s: int = 0) -> int:
    """Which slot since 1970 the newest one is; each period of the interval holds exactly one."""
    elapsed_s = (now - EPOCH) // dt.timedelta(seconds=1)
    number = elapsed_s // interval_s
    return number if _slot_s(number, interval_s, offset_s, step_s) <= elapsed_s else number - 1


def _slot_s(number: int, interval_s: int, offset_s: int, step_s: int) -> int:
    return number * interval_s + (offset_s + number * step_s) % interval_s


def expiry(scheduled_at: dt.datetime, interval_s: int) -> dt.datetime:
    return scheduled_at + dt.timedelta(seconds=interval_s / 2)


def due_slot(timetable: Timetable, now: dt.datetime) -> DueSlot | None:
    """The slot that may start now; None between slots and while the provider asked us to wait."""
    if timetable.not_before is not None and now < timetable.not_before:
        return None
    scheduled_at = slot_at(now, timetable.interval_s, timetable.offset_s, timetable.step_s)
    expires_at = expiry(scheduled_at, timetable.interval_s)
    if now > expires_at:
        return None
    return DueSlot(
        offering_id=timetable.offering_id,
        provider_id=timetable.provider_id,
        workload=timetable.workload,
        scheduled_at=scheduled_at,
        expires_at=expires_at,
    )


def due_slots(timetables: Iterable[Timetable], now: dt.datetime) -> list[DueSlot]:
    """All that may start now, in an order that is shuffled anew for each slot time."""
    slots = [slot for timetable in timetables if (slot := due_slot(timetable, now)) is not None]
    return sorted(slots, key=shuffle_key)


def shuffle_key(slot: DueSlot) -> bytes:
    """The same for the same slot, so that two planners agree, and without pattern from slot to slot."""
    text = f"{slot.offering_id} {slot.workload} {slot.scheduled_at.timestamp()}"
    return hashlib.sha256(text.encode()).digest()


def admitted(
    slots: Sequence[DueSlot], in_flight: InFlight, *, at_once: int = PROBES_AT_ONCE_PER_PROVIDER
) -> list[DueSlot]:
    """Those that overlap no other probe of their offering and keep their provider within its limit.

    The others stay due and are asked about again at the next tick, until they expire.
    """
    busy, running = set(in_flight.offerings), Counter(in_flight.by_provider)
    chosen = []
    for slot in slots:
        if slot.offering_id in busy or running[slot.provider_id] >= at_once:
            continue
        busy.add(slot.offering_id)
        running[slot.provider_id] += 1
        chosen.append(slot)
    return chosen


def usual_interval_s(scheduled_at: Sequence[dt.datetime], default: int = 10_800) -> int:
    """The interval that slots were planned at, from the slots alone: their commonest distance in whole seconds.

    For samples that come without a timetable; ties go to the shorter distance. `default` where there are too few.
    """
    ordered = sorted(set(scheduled_at))
    distances = Counter(
        round((after - before).total_seconds()) for before, after in itertools.pairwise(ordered)
    )
    distances.pop(0, None)
    if not distances:
        return default
    return min(distances, key=lambda distance: (-distances[distance], distance))
