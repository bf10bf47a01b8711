"""GpuEndpointRow: one concurrency level of one sweep of our own GPUs, costed; shared by page, chart, CSV and JSON.

Every figure of cost and energy comes from catalogue.hosting. None is unknown: a missing cost is never 0.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery

from leaderboard.catalogue import hosting
from leaderboard.catalogue.engines.flags import cleaned_flags
from leaderboard.catalogue.hosting_history import terms_at
from leaderboard.catalogue.models.hosting_terms import HostingTerms
from leaderboard.measurements.models import Sweep, SweepLevel
from leaderboard.measurements.use import measured_utilisation, watches_of
from leaderboard.ranking import pareto

FULL = Decimal(1)
UNKNOWN_VERSION = "unknown"
# A cost per token is a quotient: it is published to as many places as a sample's cost.
USD_STEP = Decimal("1e-10")
JOULE_STEP = Decimal("1e-6")
SPEED_THROUGHPUT = (
    pareto.Axis("output_speed_tps_user_p50", higher_is_better=True),
    pareto.Axis("throughput_tps_gpu", higher_is_better=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuEndpointRow:
    """The fields up to `simulated` are the columns of gpu_endpoints.csv; those after it serve pages only."""

    endpoint_id: str
    offering_id: str
    measured_at: dt.datetime
    engine: str
    engine_version: str
    engine_args: str | None
    gpu_model: str
    gpu_count: int
    gpu_memory_gib: Decimal | None
    driver_version: str | None
    hardware_source: str
    quantization: str
    tensor_parallel: int | None
    speculative_decoding: str | None
    max_model_len: int | None
    workload: str
    concurrency: int
    samples_ok: int
    output_speed_tps_user_p50: float | None
    throughput_tps: float | None
    throughput_tps_gpu: float | None
    throughput_in_tps: float | None
    ttft_ms_p50: float | None
    ttft_ms_p95: float | None
    hourly_cost_usd: Decimal | None
    cost_basis: str
    cost_source_url: str | None
    power_w: float | None
    power_source: str
    energy_usd_per_kwh: Decimal | None
    pue: Decimal | None
    utilisation: Decimal
    usd_per_mtok_output: Decimal | None
    joules_per_token: Decimal | None
    simulated: bool

    model_id: str
    model_name: str
    provider_name: str
    region: str = ""
    expert_parallel: int | None = None
    pipeline_parallel: int | None = None
    workload_version: int = 1
    methodology_version: str = ""
    samples_failed: int = 0
    client_lag_ms: float | None = None
    is_saturated: bool = False
    excluded: bool = False
    exclusion_reason: str = ""
    figures: dict[str, Any] = field(default_factory=dict)
    """Every other figure of the level, by the names of gpu_levels; `outcomes` and `exclusions` count by name."""
    measured_utilisation: Decimal | None = None
    """Share of its highest throughput that the engine's own counters say is used; None while unwatched."""
    hourly_cost_now_usd: Decimal | None = None
    """At the terms on file now; `hourly_cost_usd` is at those of the sweep's own time."""
    on_frontier: bool = False
    """No other level shown is faster for a user and gives more tokens for each GPU."""

    @property
    def level_id(self) -> str:
        return f"{self.endpoint_id}@{self.concurrency}"

    @property
    def hardware(self) -> str:
        """`8 × NVIDIA H200 SXM`."""
        return f"{self.gpu_count} × {self.gpu_model}" if self.gpu_count > 1 else self.gpu_model

    @property
    def usd_per_mtok_input(self) -> Decimal | None:
        """The whole hour laid on the prompt tokens alone."""
        return self.cost_over(self.throughput_in_tps)

    @property
    def usd_per_mtok_total(self) -> Decimal | None:
        """The hour laid on prompt and output tokens alike, in the workload's own mix."""
        if self.throughput_tps is None or self.throughput_in_tps is None:
            return None
        return self.cost_over(self.throughput_tps + self.throughput_in_tps)

    @property
    def mtok_output_per_usd(self) -> Decimal | None:
        """Million output tokens for one USD: the reciprocal of the same quotient."""
        return rounded_usd(
            hosting.tokens_per_usd(
                hourly_cost_usd=self.hourly_cost_usd,
                throughput_tps=as_decimal(self.throughput_tps),
                utilisation=self.utilisation,
            )
        )

    @property
    def usd_per_mtok_at_measured_use(self) -> Decimal | None:
        if not self.measured_utilisation:
            return None
        return with_cost(self, utilisation=self.measured_utilisation).usd_per_mtok_output

    @property
    def costed_now(self) -> GpuEndpointRow | None:
        """The row at today's rate; None where that is the rate of the sweep's time, or unknown."""
        if self.hourly_cost_now_usd is None or self.hourly_cost_now_usd == self.hourly_cost_usd:
            return None
        return with_cost(self, hourly_cost_usd=self.hourly_cost_now_usd)

    @property
    def kwh_per_mtok(self) -> Decimal | None:
        return hosting.kwh_per_mtok(self.joules_per_token)

    def cost_over(self, tokens_per_second: float | None) -> Decimal | None:
        return rounded_usd(
            hosting.usd_per_mtok(
                hourly_cost_usd=self.hourly_cost_usd,
                throughput_tps=as_decimal(tokens_per_second),
                utilisation=self.utilisation,
            )
        )

    def break_even(self, list_usd_per_mtok: Decimal | None) -> Decimal | None:
        """The utilisation above which this level is cheaper than a list price; over 1 is never."""
        return hosting.break_even_utilisation(
            hourly_cost_usd=self.hourly_cost_usd,
            throughput_tps=as_decimal(self.throughput_tps),
            list_usd_per_mtok=list_usd_per_mtok,
        )


def as_decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(repr(value))


def rounded_usd(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else amount.quantize(USD_STEP)


def with_cost(
    row: GpuEndpointRow, *, hourly_cost_usd: Decimal | None = None, utilisation: Decimal | None = None
) -> GpuEndpointRow:
    """The row at another rate or use, everything that hangs on it computed anew; None leaves what it has."""
    changed = replace(
        row,
        hourly_cost_usd=row.hourly_cost_usd if hourly_cost_usd is None else hourly_cost_usd,
        utilisation=row.utilisation if utilisation is None else utilisation,
    )
    return replace(changed, usd_per_mtok_output=changed.cost_over(changed.throughput_tps))


def gpu_endpoint_rows(
    *,
    newest_only: bool = False,
    endpoint_id: str | None = None,
    model_id: str | None = None,
    with_excluded: bool = False,
    with_use: bool = False,
    now: dt.datetime | None = None,
) -> list[GpuEndpointRow]:
    """Levels of all sweeps of public deployments by endpoint, time and concurrency; two queries, four `with_use`.

    Excluded levels measured our own client and not the endpoint, so they are left out unless asked for.
    """
    levels = public_levels()
    if endpoint_id is not None:
        levels = levels.filter(sweep__deployment__endpoint_id=endpoint_id)
    if model_id is not None:
        levels = levels.filter(sweep__deployment__offering__model__slug=model_id)
    if newest_only:
        newest = Sweep.objects.filter(deployment=OuterRef("sweep__deployment")).order_by("-measured_at")
        levels = levels.filter(sweep=Subquery(newest.values("pk")[:1]))
    if not with_excluded:
        levels = levels.filter(excluded=False)
    found = list(levels)
    shares = utilisations(found, now or dt.datetime.now(dt.UTC)) if with_use else {}
    return [row_of(level, shares.get(level.sweep.deployment_id)) for level in found]


def own_gpus_of(model_id: str, *, simulated: bool) -> list[GpuEndpointRow]:
    """The newest levels of a model's endpoints at full use, real or simulated; two queries."""
    rows = gpu_endpoint_rows(newest_only=True, model_id=model_id)
    return [row for row in rows if row.simulated == simulated]


def public_levels() -> QuerySet[SweepLevel]:
    return (
        SweepLevel.objects.filter(sweep__deployment__is_public=True)
        .select_related("sweep__deployment__offering__provider", "sweep__deployment__offering__model")
        .prefetch_related("sweep__deployment__former_terms")
        .order_by(
            F("sweep__deployment__endpoint_id").asc(), F("sweep__measured_at").asc(), F("concurrency").asc()
        )
    )


def utilisations(levels: Sequence[SweepLevel], now: dt.datetime) -> dict[int, Decimal | None]:
    full: dict[int, float] = {}
    for level in levels:
        key = level.sweep.deployment_id
        full[key] = max(full.get(key, 0.0), level.throughput_tps or 0.0)
    watches = watches_of(list(full), now)
    return {key: measured_utilisation(watches[key], full_tps=tps) for key, tps in full.items()}


def row_of(level: SweepLevel, share: Decimal | None = None) -> GpuEndpointRow:
    sweep = level.sweep
    deployment, offering = sweep.deployment, sweep.deployment.offering
    terms = terms_at(deployment, sweep.measured_at)
    watts, power_source = power_of(level, terms)
    row = GpuEndpointRow(
        endpoint_id=deployment.endpoint_id,
        offering_id=offering.public_id,
        measured_at=sweep.measured_at,
        engine=sweep.engine,
        engine_version=sweep.engine_version or UNKNOWN_VERSION,
        # Cleaned once more where it leaves: what was kept may be older than the rule.
        engine_args=cleaned_flags(sweep.engine_args) or None,
        gpu_model=sweep.gpu_model,
        gpu_count=sweep.gpu_count,
        gpu_memory_gib=sweep.gpu_memory_gib,
        driver_version=sweep.driver_version or None,
        hardware_source=sweep.hardware_source,
        quantization=sweep.quantization,
        tensor_parallel=sweep.tensor_parallel,
        speculative_decoding=sweep.speculative_decoding or None,
        max_model_len=sweep.max_model_len,
        workload=sweep.workload,
        concurrency=level.concurrency,
        samples_ok=level.samples_ok,
        output_speed_tps_user_p50=level.output_speed_tps_user_p50,
        throughput_tps=level.throughput_tps,
        throughput_tps_gpu=None if level.throughput_tps is None else level.throughput_tps / sweep.gpu_count,
        throughput_in_tps=level.throughput_in_tps,
        ttft_ms_p50=level.ttft_ms_p50,
        ttft_ms_p95=level.ttft_ms_p95,
        hourly_cost_usd=terms.hourly_cost_of(sweep.gpu_count),
        cost_basis=terms.cost_basis,
        cost_source_url=terms.cost_source_url or None,
        power_w=watts,
        power_source=power_source,
        energy_usd_per_kwh=terms.usd_per_kwh,
        pue=terms.pue,
        utilisation=FULL,
        usd_per_mtok_output=None,
        joules_per_token=joules_of(level, watts, terms.pue),
        simulated=offering.provider.simulated,
        model_id=offering.model.slug,
        model_name=offering.model.name,
        provider_name=offering.provider.name,
        region=deployment.region,
        expert_parallel=sweep.expert_parallel,
        pipeline_parallel=sweep.pipeline_parallel,
        workload_version=sweep.workload_version,
        methodology_version=sweep.methodology_version,
        samples_failed=level.samples_failed,
        client_lag_ms=level.client_lag_ms,
        is_saturated=level.is_saturated,
        excluded=level.excluded,
        exclusion_reason=level.exclusion_reason,
        figures=level.figures,
        measured_utilisation=share,
        hourly_cost_now_usd=deployment.hourly_cost_of(sweep.gpu_count),
    )
    return with_cost(row)


def power_of(level: SweepLevel, terms: HostingTerms) -> tuple[float | None, str]:
    """Watts of the whole endpoint and where they are from: read during the level, else as the operator states."""
    if level.power_w is not None:
        return level.power_w, "measured"
    if terms.watts_per_gpu is None:
        return None, "none"
    return float(terms.watts_per_gpu * level.sweep.gpu_count), terms.power_source


def joules_of(level: SweepLevel, watts: float | None, pue: Decimal | None) -> Decimal | None:
    """None without a PUE too: at the machine or at the meter are two different numbers."""
    if pue is None:
        return None
    joules = hosting.joules_per_token(
        gpu_count=1,
        watts_per_gpu=as_decimal(watts),
        throughput_tps=as_decimal(level.throughput_tps),
        pue=pue,
    )
    return None if joules is None else joules.quantize(JOULE_STEP)


def shown_rows(rows: Iterable[GpuEndpointRow]) -> list[GpuEndpointRow]:
    """Simulated endpoints only while no real one is there, with the frontier of what is shown."""
    found = list(rows)
    chosen = [row for row in found if not row.simulated] or found
    usable = [row for row in chosen if not row.excluded]
    points = [
        pareto.Point(row.level_id, (row.output_speed_tps_user_p50, row.throughput_tps_gpu)) for row in usable
    ]
    best = set(pareto.frontier(points, SPEED_THROUGHPUT).ids)
    return [replace(row, on_frontier=row.level_id in best and not row.excluded) for row in chosen]


def best_level(
    rows: Iterable[GpuEndpointRow], *, ttft_max_ms: float | None = None, speed_min_tps: float | None = None
) -> GpuEndpointRow | None:
    """The level with the highest throughput among those within the limits; None where none is."""
    within = [
        row
        for row in rows
        if row.throughput_tps is not None and not row.excluded and is_within(row, ttft_max_ms, speed_min_tps)
    ]
    return max(within, key=lambda row: (row.throughput_tps or 0, -row.concurrency), default=None)


def is_within(row: GpuEndpointRow, ttft_max_ms: float | None, speed_min_tps: float | None) -> bool:
    """P95 of the first token and the median user's speed; an unknown figure is within no limit on it."""
    waits_ok = ttft_max_ms is None or (row.ttft_ms_p95 is not None and row.ttft_ms_p95 <= ttft_max_ms)
    speed = row.output_speed_tps_user_p50
    return waits_ok and (speed_min_tps is None or (speed is not None and speed >= speed_min_tps))


def by_endpoint(rows: Iterable[GpuEndpointRow]) -> dict[str, list[GpuEndpointRow]]:
    """Levels by endpoint, in the order they come."""
    found: dict[str, list[GpuEndpointRow]] = {}
    for row in rows:
        found.setdefault(row.endpoint_id, []).append(row)
    return found
