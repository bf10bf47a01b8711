from __future__ import annotations

import datetime as dt
from collections import Counter

import pytest

from leaderboard.measurements.due import (
    DAILY_STEP_S,
    DueSlot,
    InFlight,
    Timetable,
    admitted,
    due_slot,
    due_slots,
    offset_s,
    slot_at,
    usual_interval_s,
)

NOON = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)


def timetable(**fields: int | dt.datetime | None) -> Timetable:
    defaults = {"offering_id": 1, "provider_id": 1, "workload": "medium", "interval_s": 10_800}
    return Timetable(**defaults | fields)  # type: ignore[arg-type]


def slot(offering_id: int, provider_id: int, workload: str = "medium") -> DueSlot:
    return DueSlot(
        offering_id=offering_id,
        provider_id=provider_id,
        workload=workload,
        scheduled_at=NOON,
        expires_at=NOON,
    )


def test_a_slot_is_the_newest_multiple_of_the_interval_plus_the_offset() -> None:
    assert slot_at(NOON + dt.timedelta(minutes=59), 10_800) == NOON
    assert slot_at(NOON, 10_800, 60) == NOON - dt.timedelta(hours=3) + dt.timedelta(seconds=60)
    assert slot_at(NOON + dt.timedelta(seconds=60), 10_800, 60) == NOON + dt.timedelta(seconds=60)
    assert slot_at(dt.datetime(1969, 12, 31, 23, tzinfo=dt.UTC), 7200) == dt.datetime(
        1969, 12, 31, 22, tzinfo=dt.UTC
    )


def test_a_slot_may_start_late_by_half_its_interval_and_not_a_second_more() -> None:
    last = NOON + dt.timedelta(seconds=5400)

    due = due_slot(timetable(), last)

    assert due is not None
    assert (due.scheduled_at, due.expires_at) == (NOON, last)
    assert due_slot(timetable(), last + dt.timedelta(seconds=1)) is None


def test_nothing_is_due_before_the_provider_said_so() -> None:
    waiting = timetable(not_before=NOON + dt.timedelta(hours=1))

    assert due_slot(waiting, NOON + dt.timedelta(minutes=59)) is None
    assert due_slot(waiting, NOON + dt.timedelta(hours=1)) is not None


def test_offsets_spread_875_offerings_evenly_and_stay_the_same() -> None:
    offsets = [offset_s(f"provider-{n}~model", "medium", 10_800) for n in range(875)]
    by_half_hour = Counter(offset // 1800 for offset in offsets)

    assert offsets[0] == 7272
    assert all(0 <= offset < 10_800 for offset in offsets)
    assert sorted(by_half_hour) == [0, 1, 2, 3, 4, 5]
    assert max(by_half_hour.values()) < 1.25 * 875 / 6
    assert offset_s("provider-0~model", "short", 10_800) != offsets[0]


def test_the_order_of_due_slots_changes_from_slot_to_slot() -> None:
    tables = [timetable(offering_id=n) for n in range(20)]

    first = [s.offering_id for s in due_slots(tables, NOON)]
    second = [s.offering_id for s in due_slots(tables, NOON + dt.timedelta(hours=3))]

    assert sorted(first) == sorted(second) == list(range(20))
    assert first != second
    assert first == [s.offering_id for s in due_slots(reversed(tables), NOON)]


def test_no_offering_is_probed_twice_at_once_and_no_provider_beyond_its_limit() -> None:
    slots = [slot(1, 7), slot(1, 7, "short"), slot(2, 7), slot(3, 7), slot(4, 8), slot(5, 8)]

    chosen = admitted(slots, InFlight(frozenset({5}), Counter({8: 1})), at_once=2)

    assert [s.offering_id for s in chosen] == [1, 2, 4]


def test_the_usual_interval_is_the_commonest_distance() -> None:
    times = [NOON + dt.timedelta(seconds=60 * n) for n in (0, 1, 2, 5, 6, 7)]

    assert usual_interval_s(times) == 60
    assert usual_interval_s([NOON, NOON]) == 10_800
    assert usual_interval_s([NOON, NOON + dt.timedelta(hours=2), NOON + dt.timedelta(hours=3)]) == 3600


@pytest.mark.parametrize("offset", [0, 1, 7_201, 50_400, 86_399])
def test_a_daily_slot_comes_once_in_each_utc_day_of_a_year_and_sees_every_block(offset: int) -> None:
    """Two changes of summer time, a leap day and a new year lie between, and nothing moves."""
    first = dt.datetime(2027, 9, 1, tzinfo=dt.UTC)
    minutes = (first + dt.timedelta(minutes=10 * n) for n in range(366 * 144))

    slots = sorted({slot_at(minute, 86_400, offset, DAILY_STEP_S) for minute in minutes})

    own = [slot for slot in slots if slot >= first]
    assert [slot.date() for slot in own] == [first.date() + dt.timedelta(days=n) for n in range(len(own))]
    assert len(own) in (365, 366)
    assert all({slot.hour // 4 for slot in own[n : n + 6]} == set(range(6)) for n in range(len(own) - 6))


def test_a_daily_slot_is_four_hours_later_than_yesterdays() -> None:
    midnight = dt.datetime(2026, 11, 30, 23, 59, 59, tzinfo=dt.UTC)

    slots = [slot_at(midnight + dt.timedelta(days=n), 86_400, 3_600, DAILY_STEP_S) for n in range(7)]

    assert [f"{slot:%d %H:%M}" for slot in slots] == [
        "30 13:00", "01 17:00", "02 21:00", "03 01:00", "04 05:00", "05 09:00", "06 13:00",
    ]  # fmt: skip
