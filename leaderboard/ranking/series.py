"""The only reader of samples on the ranking's side: one pass over a window, one row per series.

Which samples count (see docs/aggregates.md): connections kept warm; a sample excluded from all counts nowhere but in
its own tally; one excluded from speed counts everywhere else; only ok samples have figures.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from django.db import connection, transaction

from leaderboard.ranking.standing import Successes

IS_COUNTED = "not (excluded and excluded_from <> 'speed')"
IS_OK = f"outcome = 'ok' and {IS_COUNTED}"
IS_TIMED = "outcome = 'ok' and not excluded"
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def as_ms(instant: str) -> str:
    """An instant as whole milliseconds, the precision it is stored with: six times quicker to read than a timestamp."""
    return f"(extract(epoch from {instant}) * 1000)::bigint"


SUCCESSES = f"""
    count(*) filter (where {IS_OK}),
    {as_ms(f"min(scheduled_at) filter (where {IS_OK})")},
    {as_ms(f"max(scheduled_at) filter (where {IS_OK})")},
    coalesce(bit_or(1 << (date_part('hour', scheduled_at at time zone 'utc')::int / 4)) filter (where {IS_OK}), 0),
    {as_ms(f"max(started_at) filter (where {IS_OK})")}"""
KEY = "offering_id, workload, probe_location, workload_version, methodology_version"
WINDOW = "scheduled_at > %(after)s and scheduled_at <= %(as_of)s and connection_kind = 'warm'"


def values(column: str, condition: str) -> str:
    """In any order: sorting a few hundred numbers here is quicker than Postgres' sort of every row for each column."""
    return f"array_agg({column}) filter (where {condition} and {column} is not null)"


READ_WINDOW = f"""
select {KEY},
    bool_or(simulated),
    count(*),
    count(*) filter (where excluded),
    {as_ms("max(started_at)")},
    array_agg(outcome) filter (where outcome <> 'ok' and {IS_COUNTED}),
    array_agg(exclusion_reason) filter (where excluded),
    {values("output_speed_tps", IS_TIMED)},
    {values("ttft_ms", IS_OK)},
    {values("ttfat_ms", IS_OK)},
    {values("end_to_end_ms", IS_OK)},
    {values("response_time_500_ms", IS_TIMED)},
    {SUCCESSES}
from measurements_sample
where {WINDOW}
group by {KEY}"""  # noqa: S608 built from the constants above

READ_SUCCESSES = f"""
select {KEY}, {SUCCESSES}
from measurements_sample
where {WINDOW} and offering_id = any(%(offerings)s)
group by {KEY}"""  # noqa: S608 built from the constants above


@dataclass(frozen=True, slots=True)
class SeriesKey:
    """What is never mixed; `offering` is the row's primary key."""

    offering: int
    workload: str
    probe_location: str
    workload_version: int
    methodology_version: str

    @property
    def age_order(self) -> tuple[tuple[int, ...], int]:
        """Rises with newer methods, then with newer texts of the workload."""
        version = tuple(int(part) for part in self.methodology_version.split(".") if part.isdigit())
        return version, self.workload_version


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One offering's samples in the window at one location under one workload; values in rising order."""

    key: SeriesKey
    simulated: bool
    samples_total: int
    samples_excluded: int
    last_sample_at: dt.datetime
    outcomes: dict[str, int]
    exclusions: dict[str, int]
    speeds_tps: Sequence[float]
    ttfts_ms: Sequence[float]
    ttfats_ms: Sequence[float]
    end_to_ends_ms: Sequence[float]
    response_times_500_ms: Sequence[float]
    successes: Successes
    last_ok_at: dt.datetime | None


def read_window(*, as_of: dt.datetime, hours: float) -> list[Series]:
    """Every series with a sample after `as_of` − hours, up to `as_of`; the newest versions only. One query."""
    return newest_versions(read_series(after=as_of - dt.timedelta(hours=hours), as_of=as_of))


def read_between(start: dt.datetime, end: dt.datetime) -> list[Series]:
    """Every series, of every version, with a sample from `start` on and before `end`. One query."""
    before = dt.timedelta(
        microseconds=1
    )  # slots are kept to the millisecond, so this turns (a, b] into [a, b)
    return read_series(after=start - before, as_of=end - before)


def read_series(*, after: dt.datetime, as_of: dt.datetime) -> list[Series]:
    return [series_of(row) for row in rows_of(READ_WINDOW, {"after": after, "as_of": as_of})]


@transaction.atomic
def rows_of(query: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Arrays come in binary, and the sort stays in memory; compiling the query would cost more than running it."""
    with connection.cursor() as cursor:
        cursor.execute("select set_config('jit', 'off', true), set_config('work_mem', '64MB', true)")
    with psycopg.Cursor(connection.connection) as binary:
        return binary.execute(query, parameters, binary=True).fetchall()


def series_of(row: tuple[Any, ...]) -> Series:
    key, (simulated, total, excluded, last_sample_ms), row = SeriesKey(*row[:5]), row[5:9], row[9:]
    failures, reasons, speeds, ttfts, ttfats, end_to_ends, response_times, *successes = row
    outcomes = tally(failures)
    if successes[0]:
        outcomes["ok"] = successes[0]
    found, last_ok_at = successes_of(successes)
    return Series(
        key=key,
        simulated=simulated,
        samples_total=total,
        samples_excluded=excluded,
        last_sample_at=moment(last_sample_ms) or EPOCH,
        outcomes=outcomes,
        exclusions=tally(reasons),
        speeds_tps=sorted(speeds or ()),
        ttfts_ms=sorted(ttfts or ()),
        ttfats_ms=sorted(ttfats or ()),
        end_to_ends_ms=sorted(end_to_ends or ()),
        response_times_500_ms=sorted(response_times or ()),
        successes=found,
        last_ok_at=last_ok_at,
    )


def tally(words: Sequence[str] | None) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words or ():
        counts[word] = counts.get(word, 0) + 1
    return counts


def successes_of(row: Sequence[Any]) -> tuple[Successes, dt.datetime | None]:
    count, first_ms, last_ms, blocks, last_ok_ms = row
    return Successes(count, moment(first_ms), moment(last_ms), blocks), moment(last_ok_ms)


def moment(milliseconds: int | None) -> dt.datetime | None:
    return None if milliseconds is None else EPOCH + dt.timedelta(milliseconds=milliseconds)


def read_successes(
    offerings: Iterable[int], *, as_of: dt.datetime, window: dt.timedelta
) -> dict[SeriesKey, tuple[Successes, dt.datetime | None]]:
    """The successes of some offerings' series over a longer window, and when the last one started. One query."""
    rows = rows_of(
        READ_SUCCESSES, {"after": as_of - window, "as_of": as_of, "offerings": sorted(set(offerings))}
    )
    return {SeriesKey(*row[:5]): successes_of(row[5:]) for row in rows}


def newest_versions(series: Iterable[Series]) -> list[Series]:
    """One series for each offering, workload and location: versions are never mixed, and the newest is shown."""
    newest: dict[tuple[int, str, str], Series] = {}
    for one in series:
        place = (one.key.offering, one.key.workload, one.key.probe_location)
        if place not in newest or one.key.age_order > newest[place].key.age_order:
            newest[place] = one
    return list(newest.values())
