"""The only reader of whole windows of samples on the ranking's side: one pass, nothing sorted by the database.

Postgres puts the samples into a few classes, alike in all that is text (workload, place, versions, outcome,
exclusion), and sends the numbers of each class as one block of fixed width. Which series a sample belongs to, and the
order of its values, are found here for all samples at once: together less work than the same aggregates in SQL.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from django.db import connection, transaction
from numpy.typing import NDArray

from leaderboard.ranking.counting import IS_OK, KEY, WINDOW
from leaderboard.ranking.ordered import Floats, Ordered, Whole, measure_columns, ordered_by_series
from leaderboard.ranking.tallies import Class, Part, Tallies

POSTGRES_EPOCH = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
"""Postgres keeps instants as microseconds since then, and so do the columns here."""
US_PER_S = 1_000_000
BLOCK_US = 4 * 3600 * US_PER_S
BLOCKS_A_DAY = 6
NEVER = np.iinfo(np.int64).min

MEASURES = ("output_speed_tps", "ttft_ms", "ttfat_ms", "end_to_end_ms", "response_time_500_ms")
NEED_SPEED = ("output_speed_tps", "response_time_500_ms")
"""Measures that a sample excluded from speed has no part in."""
NUMBERS = ("offering", "scheduled_us", "started_us", *MEASURES)
"""What is sent of each sample, eight bytes each: whole numbers, and then doubles with NaN as unknown."""
SENT = " || ".join(
    (
        "int8send(offering_id)",
        "timestamptz_send(scheduled_at)",
        "timestamptz_send(started_at)",
        *(f"float8send(coalesce({name}, 'NaN'))" for name in MEASURES),
    )
)
CLASS = (
    "workload, probe_location, workload_version, methodology_version, simulated, outcome, excluded, exclusion_reason, "
    "excluded_from"
)
READ_CLASSES = f"""
select {CLASS}, string_agg({SENT}, ''::bytea)
from measurements_sample
where {WINDOW}
group by {CLASS}"""  # noqa: S608 built from the constants above

READ_SUCCESSES = f"""
select {KEY}, count(*), min(scheduled_at), max(scheduled_at),
    bit_or(1 << (date_part('hour', scheduled_at at time zone 'utc')::int / 4)), max(started_at)
from measurements_sample
where {WINDOW} and {IS_OK} and offering_id = any(%(offerings)s)
group by {KEY}"""  # noqa: S608 built from the constants above


@dataclass(slots=True, kw_only=True)
class Successes:
    """The ok samples of each series: how many, from when to when (µs), in which blocks of the UTC day (a bit each)."""

    count: Whole
    first_us: Whole
    last_us: Whole
    blocks: Whole
    last_started_us: Whole
    """NEVER where there is none, as in the two before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Every series with a sample in a span of time; each array has one element for a series, in the same order."""

    offerings: Whole
    """Primary keys."""
    parts: Sequence[Part]
    simulated: NDArray[np.bool_]
    tallies: Tallies
    last_started_us: Whole
    measures: dict[str, Ordered]
    successes: Successes

    def __len__(self) -> int:
        return len(self.offerings)

    def figures(self) -> dict[str, Floats]:
        """Percentiles and intervals of every measure, by column name; NaN is unknown."""
        return {
            name: values
            for measure, ordered in self.measures.items()
            for name, values in measure_columns(measure, ordered).items()
        }


def read_window(*, as_of: dt.datetime, hours: float) -> Window:
    """Every series with a sample after `as_of` − hours, up to `as_of`; the newest versions only. One query."""
    return read_classes(after=as_of - dt.timedelta(hours=hours), as_of=as_of, apart_by_method=False)


def read_between(start: dt.datetime, end: dt.datetime) -> Window:
    """Every series with a sample from `start` on and before `end`: of each method the newest text. One query."""
    before = dt.timedelta(
        microseconds=1
    )  # slots are kept to the millisecond, so this turns (a, b] into [a, b)
    return read_classes(after=start - before, as_of=end - before, apart_by_method=True)


def read_classes(*, after: dt.datetime, as_of: dt.datetime, apart_by_method: bool) -> Window:
    rows = rows_of(READ_CLASSES, {"after": after, "as_of": as_of})
    classes = [Class(Part(*row[:4]), *row[4:9]) for row in rows]
    samples = np.frombuffer(b"".join(row[9] for row in rows), dtype=">i8").reshape(-1, len(NUMBERS))
    sizes = [len(row[9]) // (8 * len(NUMBERS)) for row in rows]
    class_of = np.repeat(np.arange(len(classes)), sizes)
    numbers = dict(zip(NUMBERS, samples.T.astype(np.int64, order="C"), strict=True))
    return window_of(numbers, class_of, classes, apart_by_method=apart_by_method)


@transaction.atomic
def rows_of(query: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Blocks come in binary, and groups stay in memory; compiling the query would cost more than running it."""
    with connection.cursor() as cursor:
        cursor.execute("select set_config('jit', 'off', true), set_config('work_mem', '64MB', true)")
    with psycopg.Cursor(connection.connection) as binary:
        return binary.execute(query, parameters, binary=True).fetchall()


Numbers = dict[str, Whole]
"""By name, one element for each sample; measures as the bits of their doubles."""


def window_of(
    numbers: Numbers, class_of: Whole, classes: Sequence[Class], *, apart_by_method: bool
) -> Window:
    """Samples in any order, with the class of each → series of the newest versions, in order of part and offering."""
    parts = sorted({one.part for one in classes})
    offerings, offering_of = np.unique(numbers["offering"], return_inverse=True)
    part_of = np.array([parts.index(one.part) for one in classes], dtype=np.int64)[class_of]
    is_there = np.zeros((len(parts), len(offerings)), dtype=bool)
    is_there[part_of, offering_of] = True
    kept = newest_versions(is_there, parts, apart_by_method=apart_by_method)
    number_of = np.cumsum(kept).reshape(kept.shape) - 1
    series = number_of[part_of, offering_of]
    narrow = series.astype(np.uint16) if kept.size <= 0xFFFF else series  # sixteen bits are sorted by radix
    by_series = np.argsort(narrow, kind="stable")
    by_series = by_series[kept[part_of, offering_of][by_series]]
    part_of_series, offering_of_series = np.nonzero(kept)
    return with_figures(
        {name: values[by_series] for name, values in numbers.items()},
        class_of[by_series],
        series[by_series],
        classes,
        offerings=offerings[offering_of_series],
        parts=[parts[n] for n in part_of_series.tolist()],
    )


def newest_versions(
    is_there: NDArray[np.bool_], parts: Sequence[Part], *, apart_by_method: bool
) -> NDArray[np.bool_]:
    """Which series (part × offering) are shown: versions are never mixed, and of several the newest is taken."""
    kept = np.zeros_like(is_there)
    taken: dict[tuple[str, ...], NDArray[np.bool_]] = {}
    for number in sorted(range(len(parts)), key=lambda n: parts[n].age_order, reverse=True):
        part = parts[number]
        place = (part.workload, part.probe_location, part.methodology_version if apart_by_method else "")
        before = taken.get(place, np.zeros(is_there.shape[1], dtype=bool))
        kept[number] = is_there[number] & ~before
        taken[place] = before | is_there[number]
    return kept


def with_figures(
    numbers: Numbers,
    class_of: Whole,
    series: Whole,
    classes: Sequence[Class],
    *,
    offerings: Whole,
    parts: Sequence[Part],
) -> Window:
    """Of samples in order of their series."""
    how_many = len(offerings)
    is_ok, is_timed, is_simulated = (
        np.array([getattr(one, name) for one in classes], dtype=bool)[class_of]
        for name in ("is_ok", "is_timed", "simulated")
    )
    tallies = np.bincount(series * len(classes) + class_of, minlength=how_many * len(classes))
    measures = {}
    for name in MEASURES:
        valid = is_timed if name in NEED_SPEED else is_ok
        measures[name] = ordered_by_series(numbers[name].view(np.float64)[valid], series[valid], how_many)
    simulated = np.zeros(how_many, dtype=bool)
    simulated[series[is_simulated]] = True
    return Window(
        offerings=offerings,
        parts=parts,
        simulated=simulated,
        tallies=Tallies(classes, tallies.reshape(how_many, len(classes))),
        last_started_us=latest(numbers["started_us"], series, how_many),
        measures=measures,
        successes=successes_of(
            numbers["scheduled_us"][is_ok], numbers["started_us"][is_ok], series[is_ok], how_many
        ),
    )


def latest(instants_us: Whole, series: Whole, how_many: int) -> Whole:
    """Of each series the latest; NEVER where it has none."""
    found = np.full(how_many, NEVER, dtype=np.int64)
    np.maximum.at(found, series, instants_us)
    return found


def successes_of(scheduled_us: Whole, started_us: Whole, series: Whole, how_many: int) -> Successes:
    blocks = np.zeros(how_many, dtype=np.int64)
    np.bitwise_or.at(blocks, series, 1 << (scheduled_us // BLOCK_US % BLOCKS_A_DAY))
    return Successes(
        count=np.bincount(series, minlength=how_many),
        first_us=-latest(-scheduled_us, series, how_many),
        last_us=latest(scheduled_us, series, how_many),
        blocks=blocks,
        last_started_us=latest(started_us, series, how_many),
    )


def look_further(window: Window, which: Whole, *, as_of: dt.datetime, back: dt.timedelta) -> None:
    """Replace the successes of some of the window's series by those of a longer span; one query."""
    rows = rows_of(
        READ_SUCCESSES,
        {"after": as_of - back, "as_of": as_of, "offerings": np.unique(window.offerings[which]).tolist()},
    )
    longer = {(row[0], Part(*row[1:5])): row[5:] for row in rows}
    found = window.successes
    for n in which.tolist():
        row = longer.get((int(window.offerings[n]), window.parts[n]))
        if row is not None:
            found.count[n], found.blocks[n] = row[0], row[3]
            found.first_us[n], found.last_us[n], found.last_started_us[n] = map(
                microseconds, (row[1], row[2], row[4])
            )


def microseconds(moment: dt.datetime) -> int:
    """An instant as Postgres keeps it."""
    return (moment - POSTGRES_EPOCH) // dt.timedelta(microseconds=1)
