"""What changed, day by day and hour by hour: history, list prices, reliability, the hours of the day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from leaderboard.catalogue.models import Price
from leaderboard.charts.board import labelled
from leaderboard.charts.lines import Day, Hour, Line, Mark, Step
from leaderboard.charts.marks import (
    OUTPUT_SPEED,
    Axis,
)
from leaderboard.charts.pictures import Figure
from leaderboard.charts.theme import Spec, Width
from leaderboard.ranking.models import DailySummary
from leaderboard.ranking.versions import age_order, version_changes


def history_figure(
    days: Sequence[DailySummary], names: Mapping[int, str], axis: Axis, *, simulated: bool
) -> Figure:
    """One line for each offering of `names` (by primary key, in the order to draw them); it ends at a new method."""
    changes = [change for change in version_changes(days) if change.offering_id in names]
    values: dict[int, list[tuple[dt.date, float | None]]] = {pk: [] for pk in names}
    for day in sorted(days, key=lambda d: (d.day, age_order(d.methodology_version, d.workload_version))):
        if day.offering_id in values:
            values[day.offering_id].append((day.day, getattr(day, axis.column)))
    found = tuple(
        Line(
            id=str(pk),
            name=name,
            values=tuple(values[pk]),
            breaks=frozenset(change.day for change in changes if change.offering_id == pk),
        )
        for pk, name in names.items()
        if len(values[pk]) > 0
    )
    marks = tuple(
        Mark(on=day, words=words) for day, words in sorted({(change.day, change.words) for change in changes})
    )
    return Figure(
        chart=f"history-{'speed' if axis is OUTPUT_SPEED else 'ttft'}",
        label=labelled(f"{axis.title} by day", simulated=simulated),
        shows=(found, axis, marks),
        draw=partial(draw_history, found, axis, marks),
    )


def price_history_figure(prices: Iterable[Price], until: dt.datetime) -> Figure:
    """The flat list price over time; the day is rounded so that the picture is kept for a day."""
    flat = sorted(
        (p for p in prices if p.context_above_tokens is None and not p.hours_utc), key=lambda p: p.valid_from
    )
    inputs = tuple(step_of(p, p.input_usd_per_mtok) for p in flat)
    outputs = tuple(step_of(p, p.output_usd_per_mtok) for p in flat)
    until = until.replace(hour=0, minute=0, second=0, microsecond=0) + dt.timedelta(days=1)
    return Figure(
        chart="price-history",
        label="List price over time",
        shows=(inputs, outputs, until),
        draw=partial(draw_prices, inputs, outputs, until),
    )


def step_of(price: Price, value: object) -> Step:
    return Step(
        since=price.valid_from,
        value=None if value is None else float(str(value)),
        verified_at=price.verified_at,
    )


def hours_figure(buckets: Sequence[Mapping[str, Any]], *, simulated: bool) -> Figure:
    found = tuple(
        Hour(
            hour=b["bucket"],
            samples=b["samples"],
            p25=b["output_speed_tps_p25"],
            p50=b["output_speed_tps_p50"],
            p75=b["output_speed_tps_p75"],
        )
        for b in buckets
    )
    return Figure(
        chart="hours",
        label=labelled("Output speed by hour of the day", simulated=simulated),
        shows=found,
        draw=partial(draw_hours, found),
    )


def day_of(row: DailySummary) -> Day:
    return Day(
        on=row.day,
        scheduled=row.samples_scheduled,
        total=row.samples_total,
        ok=row.samples_ok,
        timeouts=row.errors_timeout,
        rate_limited=row.errors_rate_limited,
        server_errors=row.errors_server,
        other=row.errors_other,
        success_rate=row.success_rate,
    )


def reliability_figure(
    days: Sequence[Day], until: dt.date, *, simulated: bool, name: str = "", suffix: str = ""
) -> Figure:
    found = tuple(days)
    of = f" of {name}" if name else ""
    return Figure(
        chart=f"reliability{suffix}",
        label=labelled(f"Success rate by day{of}", simulated=simulated),
        shows=(found, until),
        draw=partial(draw_reliability, found, until),
    )


# Altair is heavy, so the figures are imported by the process that draws, when it draws.


def draw_history(found: Sequence[Line], axis: Axis, marks: Sequence[Mark], width: Width) -> Spec:
    from leaderboard.charts.figures.history import history

    return history(found, axis=axis, width=width, marks=marks)


def draw_prices(inputs: Sequence[Step], outputs: Sequence[Step], until: dt.datetime, width: Width) -> Spec:
    from leaderboard.charts.figures.prices import price_history

    return price_history(inputs, outputs, until=until, width=width)


def draw_hours(found: Sequence[Hour], width: Width) -> Spec:
    from leaderboard.charts.figures.hours import hours_of_day

    return hours_of_day(found, axis=OUTPUT_SPEED, width=width)


def draw_reliability(found: Sequence[Day], until: dt.date, width: Width) -> Spec:
    from leaderboard.charts.figures.reliability import reliability_strip

    return reliability_strip(found, until=until, width=width)
