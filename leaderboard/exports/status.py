"""/status.json: for each table its newest row, when the next is expected, how late it is, and a state in one word."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from leaderboard.measurements.planning import timetables
from leaderboard.ranking.watching import Watch, watch

from .cells import instant_text
from .views import answering_in_json
from .writers import plain_json

STATES = ("operational", "degraded", "partial outage", "major outage")
SNAPSHOT_EVERY_S = 60.0
DAILY_EVERY_S = 86_400.0
LATE, LATER, LATEST = 2, 6, 24
"""How many times its interval a table may be old before it is degraded, partly out, or out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """None where nothing was ever written, or nothing is expected."""

    table: str
    newest_row_at: str | None
    expected_next_at: str | None
    lag_s: float | None
    state: str


@answering_in_json
def status(request: HttpRequest) -> HttpResponseBase:
    now = dt.datetime.now(dt.UTC)
    response = HttpResponse(
        plain_json(document(watch(now), shortest_interval_s(now))),
        content_type="application/json; charset=utf-8",
    )
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = "public, max-age=15"
    return response


def shortest_interval_s(now: dt.datetime) -> float | None:
    """Of the offerings that are probed; None where none is."""
    return min((float(table.interval_s) for table in timetables(now)), default=None)


def document(seen: Watch, interval_s: float | None) -> dict[str, object]:
    tables = table_states(seen, interval_s)
    return {
        "now": instant_text(seen.now, always_milliseconds=False),
        "state": worst([table.state for table in tables]),
        "tables": [asdict(table) for table in tables],
        "last_24_hours": {
            "wanted": seen.wanted,
            "planned": seen.planned,
            "done": seen.done,
            "missed": seen.missed,
            "waiting": seen.waiting,
            "coverage": rounded(seen.coverage, 6),
            "start_delay_p50_s": rounded(seen.start_delay_p50_s, 3),
            "start_delay_p95_s": rounded(seen.start_delay_p95_s, 3),
            "client_lag_p95_ms": rounded(seen.client_lag_p95_ms, 3),
            "probe_faults": seen.probe_faults,
            "our_failures": seen.our_failures,
        },
        "silent": [
            {
                "offering_id": silent.offering_id,
                "last_ok_at": text_of(silent.last_ok_at),
                "last_outcome": silent.last_outcome,
            }
            for silent in seen.silent
        ],
        "leaderboard_rows": [
            {"as_of": text_of(d.as_of), "rows": d.rows, "ranked": d.ranked} for d in seen.denominators
        ],
        "missing_partitions": list(seen.missing_partitions),
        "days_not_closed": seen.days_not_closed,
        "hours": [
            {
                "starts_at": text_of(hour.starts_at),
                "probe_location": hour.probe_location,
                "planned": hour.planned,
                "done": hour.done,
                "missed": hour.missed,
            }
            for hour in seen.hours
        ],
    }


def table_states(seen: Watch, interval_s: float | None) -> list[TableState]:
    snapshot_every_s = SNAPSHOT_EVERY_S if seen.newest_sample_age_s is not None else None
    return [
        table_state("samples", seen.now, age_s=seen.newest_sample_age_s, every_s=interval_s),
        table_state("leaderboard", seen.now, age_s=seen.snapshot_age_s, every_s=snapshot_every_s),
        table_state(
            "daily",
            seen.now,
            age_s=seen.newest_sample_age_s,
            every_s=DAILY_EVERY_S if seen.newest_sample_age_s is not None else None,
            at_best="degraded" if seen.days_not_closed else "operational",
        ),
    ]


def table_state(
    table: str, now: dt.datetime, *, age_s: float | None, every_s: float | None, at_best: str = "operational"
) -> TableState:
    """`every_s` None: nothing is expected, so nothing is late."""
    newest = None if age_s is None else now - dt.timedelta(seconds=age_s)
    expected = None if newest is None or every_s is None else newest + dt.timedelta(seconds=every_s)
    lag_s = None if expected is None else max(0.0, round((now - expected).total_seconds(), 3))
    return TableState(
        table=table,
        newest_row_at=text_of(newest),
        expected_next_at=text_of(expected),
        lag_s=lag_s,
        state=worst([at_best, state_of(age_s, every_s)]),
    )


def state_of(age_s: float | None, every_s: float | None) -> str:
    if every_s is None or age_s is None:
        return "operational"
    late = age_s / every_s
    return STATES[(late > LATE) + (late > LATER) + (late > LATEST)]


def worst(states: Sequence[str]) -> str:
    return max(states, key=STATES.index)


def text_of(instant: dt.datetime | None) -> str | None:
    return None if instant is None else instant_text(instant, always_milliseconds=False)


def rounded(value: float | None, decimals: int) -> float | None:
    return None if value is None else round(value, decimals)
