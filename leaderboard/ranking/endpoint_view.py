"""What the self-hosted page and its file show: the newest levels of one model's endpoints, costed as asked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from django.db import connection

from leaderboard.ranking.calculator import Calculation
from leaderboard.ranking.endpoints import (
    GpuEndpointRow,
    best_level,
    by_endpoint,
    gpu_endpoint_rows,
    shown_rows,
    with_cost,
)
from leaderboard.ranking.hosted_prices import HostedPrice, HostedPrices, hosted_prices
from leaderboard.ranking.sorting import sorted_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakEven:
    """One list price of the same model against one level of ours."""

    asked: HostedPrice
    utilisation: Decimal | None
    """Above it ours is cheaper; over 1 is never."""
    is_like_for_like: bool
    """Whether both serve the weights in the same number format, as far as they say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointView:
    calculation: Calculation
    rows: tuple[GpuEndpointRow, ...]
    asked: HostedPrices
    models: tuple[tuple[str, str], ...]
    """All that could be chosen: id and name."""
    model_id: str
    model_name: str
    simulated: bool

    @property
    def endpoints(self) -> dict[str, list[GpuEndpointRow]]:
        """Each endpoint's levels in order of concurrency, whatever the order of the rows."""
        return by_endpoint(sorted(self.rows, key=lambda row: (row.endpoint_id, row.concurrency)))

    @property
    def chosen_endpoint(self) -> str:
        """The one asked for, else the one whose tokens cost least, else the first."""
        names = list(self.endpoints)
        if self.calculation.endpoint in names:
            return self.calculation.endpoint
        costed = [row for row in self.rows if row.usd_per_mtok_output is not None]
        cheapest = min(costed, key=lambda row: row.usd_per_mtok_output or 0, default=None)
        return cheapest.endpoint_id if cheapest else names[0] if names else ""

    def best(self, endpoint_id: str) -> GpuEndpointRow | None:
        """Its fullest level within the visitor's limits."""
        limits = self.calculation
        return best_level(
            self.endpoints.get(endpoint_id, []),
            ttft_max_ms=limits.ttft_max_ms,
            speed_min_tps=limits.speed_min_tps,
        )

    @property
    def measured_at(self) -> dt.datetime | None:
        return max((row.measured_at for row in self.rows), default=None)

    def break_evens(self, row: GpuEndpointRow) -> list[BreakEven]:
        return [
            BreakEven(
                asked=price,
                utilisation=row.break_even(price.output_usd_per_mtok),
                is_like_for_like=price.quantization == row.quantization != "undisclosed",
            )
            for price in self.asked.prices
        ]


def endpoint_view(calculation: Calculation, *, now: dt.datetime) -> EndpointView:
    """Six queries at most, whatever the number of endpoints."""
    everything = shown_rows(gpu_endpoint_rows(newest_only=True, with_use=True, now=now))
    models = tuple(sorted({(row.model_id, row.model_name) for row in everything}, key=lambda m: (m[1], m[0])))
    model_id = chosen_model(calculation, everything, [key for key, _ in models])
    of_model = everything if calculation.full else [row for row in everything if row.model_id == model_id]
    rows = shown_rows(of_model)
    simulated = any(row.simulated for row in rows)
    return EndpointView(
        calculation=calculation,
        rows=in_order([costed(row, calculation) for row in rows], calculation),
        asked=hosted_prices([model_id], simulated=simulated, now=now) if model_id else HostedPrices((), 0),
        models=models,
        model_id=model_id,
        model_name=dict(models).get(model_id, ""),
        simulated=simulated,
    )


def one_endpoint_view(calculation: Calculation, endpoint_id: str, *, now: dt.datetime) -> EndpointView:
    """The newest levels of one public endpoint, real or simulated; six queries at most."""
    rows = shown_rows(gpu_endpoint_rows(newest_only=True, endpoint_id=endpoint_id, with_use=True, now=now))
    calculation = replace(calculation, endpoint=endpoint_id, model="", full=False)
    model_id, model_name = (rows[0].model_id, rows[0].model_name) if rows else ("", "")
    simulated = any(row.simulated for row in rows)
    return EndpointView(
        calculation=calculation,
        rows=in_order([costed(row, calculation) for row in rows], calculation),
        asked=hosted_prices([model_id], simulated=simulated, now=now) if model_id else HostedPrices((), 0),
        models=((model_id, model_name),) if model_id else (),
        model_id=model_id,
        model_name=model_name,
        simulated=simulated,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PastSweep:
    """One sweep in a line: what it was run on, one stream's speed, and the most it did."""

    measured_at: dt.datetime
    engine_version: str
    levels: int
    excluded: int
    single: GpuEndpointRow | None
    fullest: GpuEndpointRow | None


def past_sweeps(rows: Sequence[GpuEndpointRow]) -> list[PastSweep]:
    """All sweeps of one endpoint, newest first, from all their levels."""
    by_time: dict[dt.datetime, list[GpuEndpointRow]] = {}
    for row in rows:
        by_time.setdefault(row.measured_at, []).append(row)
    return [
        PastSweep(
            measured_at=measured_at,
            engine_version=levels[0].engine_version,
            levels=len(levels),
            excluded=sum(level.excluded for level in levels),
            single=next((level for level in levels if level.concurrency == 1), None),
            fullest=best_level(levels),
        )
        for measured_at, levels in sorted(by_time.items(), reverse=True)
    ]


def in_order(rows: Sequence[GpuEndpointRow], calculation: Calculation) -> tuple[GpuEndpointRow, ...]:
    """As asked; else by endpoint and concurrency, as the file has them."""
    column = calculation.sort.removeprefix("-")
    if not column:
        return tuple(rows)
    return tuple(
        sorted_rows(rows, column, descending=calculation.sort.startswith("-"), tie=lambda row: row.level_id)
    )


def chosen_model(calculation: Calculation, rows: Sequence[GpuEndpointRow], known: Sequence[str]) -> str:
    """The one asked for, even where it has no endpoint; else the endpoint's; else the one with most levels."""
    if calculation.model:
        return calculation.model
    of_endpoint = [row.model_id for row in rows if row.endpoint_id == calculation.endpoint]
    if of_endpoint:
        return of_endpoint[0]
    levels = [row.model_id for row in rows]
    return max(known, key=levels.count, default="")


def costed(row: GpuEndpointRow, calculation: Calculation) -> GpuEndpointRow:
    """At the visitor's use, and at the visitor's rate where one is given: then no source stands behind it."""
    rate = calculation.usd_per_gpu_hour
    is_meant = not calculation.endpoint or calculation.endpoint == row.endpoint_id
    if rate is None or not is_meant:
        return with_cost(row, utilisation=calculation.utilisation)
    hourly = rate * row.gpu_count
    own = replace(row, cost_basis="unknown", cost_source_url=None, hourly_cost_now_usd=hourly)
    return with_cost(own, hourly_cost_usd=hourly, utilisation=calculation.utilisation)


ENDPOINTS_VERSION = """
select
    (select count(*) || '/' || coalesce(max(updated_at), 'epoch') from catalogue_deployment) || ' ' ||
    (select count(*) || '/' || coalesce(max(id), 0) from measurements_sweep) || ' ' ||
    (select count(*) || '/' || coalesce(max(id), 0) from catalogue_formerterms) || ' ' ||
    (select coalesce(max(id), 0) from measurements_enginereading),
    greatest(
        (select max(updated_at) from catalogue_deployment), (select max(recorded_at) from measurements_sweep)
    )
"""


def endpoints_version() -> tuple[str, dt.datetime | None]:
    """A text that changes with any deployment or sweep, and when one last did; one query."""
    with connection.cursor() as cursor:
        cursor.execute(ENDPOINTS_VERSION)
        row = cursor.fetchone()
    return str(row[0]), row[1]
