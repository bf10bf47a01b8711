"""Is it me or them? One's own run beside the public record of the same offering.

A figure is slow when its median lies beyond the slow tail that the board publishes for the window: below the 5th
percentile of output speed, above the 95th of time to first token. If one's own is slow, the board's samples of the
hours around the run decide: slow there too, it is them; as usual there, it is on one's own side.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from probes.percentiles import percentile

Row = Mapping[str, object]
Verdict = Literal["usual", "you", "them", "cannot say"]

NEAR = dt.timedelta(hours=3)
LEAST = 3
"""Fewer values than this have no median worth a verdict."""
MOSTLY = 0.5
"""A run of which less was answered is judged by its failures."""
COMPARED: tuple[tuple[str, str, str, bool], ...] = (
    # column, the slow tail's column, unit, whether more is better
    ("output_speed_tps", "output_speed_tps_p05", "tokens/s", True),
    ("ttft_ms", "ttft_ms_p95", "ms", False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One figure: one's own median, the board's usual one with its slow tail, and the board's around the run."""

    column: str
    unit: str
    yours: float | None
    yours_n: int
    usual: float | None
    tail: float | None
    near: float | None
    near_n: int
    verdict: Verdict


def compare(run: Sequence[Row], published: Row, board_samples: Sequence[Row]) -> list[Compared]:
    """`published` is the offering's row of leaderboard.csv, `board_samples` its rows of samples.csv."""
    near = around(run, board_samples)
    return [share_answered(run, published, near), *(figure(run, published, near, *how) for how in COMPARED)]


def around(run: Sequence[Row], board_samples: Sequence[Row]) -> list[Row]:
    """The board's samples from three hours before the run's first request to three hours after its last."""
    starts = [instant(row["started_at"]) for row in run]
    first, last = min(starts) - NEAR, max(starts) + NEAR
    return [row for row in board_samples if first <= instant(row["started_at"]) <= last]


def figure(
    run: Sequence[Row],
    published: Row,
    near: Sequence[Row],
    column: str,
    tail_column: str,
    unit: str,
    more: bool,
) -> Compared:
    yours, theirs = values(run, column), values(near, column)
    usual, tail = number(published.get(f"{column}_p50")), number(published.get(tail_column))
    mine, now = median(yours), median(theirs)
    return Compared(
        column=column,
        unit=unit,
        yours=mine,
        yours_n=len(yours),
        usual=usual,
        tail=tail,
        near=now,
        near_n=len(theirs),
        verdict=judge(is_beyond(mine, tail, more=more), is_beyond(now, tail, more=more)),
    )


def share_answered(run: Sequence[Row], published: Row, near: Sequence[Row]) -> Compared:
    yours, now = answered(run), answered(near)
    return Compared(
        column="success_rate",
        unit="",
        yours=yours,
        yours_n=len(run),
        usual=number(published.get("success_rate")),
        tail=MOSTLY,
        near=now,
        near_n=len(near),
        verdict=judge(is_beyond(yours, MOSTLY, more=True), is_beyond(now, MOSTLY, more=True)),
    )


def judge(yours_is_slow: bool | None, near_is_slow: bool | None) -> Verdict:
    """None is unknown. What the board saw too is theirs, even where one's own run was lucky."""
    if yours_is_slow is None:
        return "cannot say"
    if near_is_slow:
        return "them"
    if not yours_is_slow:
        return "usual"
    return "cannot say" if near_is_slow is None else "you"


def overall(compared: Sequence[Compared]) -> Verdict:
    """The gravest of the figures' verdicts: one slow figure is enough."""
    found = {one.verdict for one in compared}
    order: tuple[Verdict, ...] = ("them", "you", "usual")
    return next((verdict for verdict in order if verdict in found), "cannot say")


def is_beyond(value: float | None, tail: float | None, *, more: bool) -> bool | None:
    if value is None or tail is None:
        return None
    return value < tail if more else value > tail


def values(rows: Sequence[Row], column: str) -> list[float]:
    """What enters a median by the published rules: successes, exclusions left out."""
    kept = [row for row in rows if row.get("outcome") == "ok" and not is_left_out(row, column)]
    return [value for row in kept if (value := number(row.get(column))) is not None]


def is_left_out(row: Row, column: str) -> bool:
    if row.get("excluded") not in (True, "true"):
        return False
    return row.get("excluded_from") != "speed" or column == "output_speed_tps"


def answered(rows: Sequence[Row]) -> float | None:
    """The share of requests that were answered; our own mistakes say nothing of the offering."""
    counted = [row.get("outcome") for row in rows if row.get("outcome") != "ours"]
    return counted.count("ok") / len(counted) if len(counted) >= LEAST else None


def median(found: Sequence[float]) -> float | None:
    return percentile(found, 0.5) if len(found) >= LEAST else None


def number(value: object) -> float | None:
    if isinstance(value, bool) or value in (None, ""):
        return None
    return float(str(value))


def instant(value: object) -> dt.datetime:
    return dt.datetime.fromisoformat(str(value))
