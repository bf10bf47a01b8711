"""One sweep of one deployment: levels measured, judged for saturation and for our own client, and stored together.

Nothing an endpoint does raises. No address and no key is stored or told.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import IntegrityError, connection, transaction

from leaderboard.catalogue.engines.power import HostGpus, mean_watts
from leaderboard.catalogue.engines.refreshing import ask_host, refresh_deployment
from leaderboard.catalogue.models import Deployment
from leaderboard.measurements.models import Sweep, SweepLevel
from leaderboard.measurements.probing import endpoint_of
from leaderboard.measurements.rounding import MS_DECIMALS, TPS_DECIMALS
from leaderboard.measurements.sweep_rules import SweepPlan
from probes.endpoint import Endpoint
from probes.result import METHODOLOGY_VERSION
from probes.sweep import MIN_GAIN, Level, run_level
from probes.workloads import DEFAULT_WORKLOAD, Workload, get_workload

LAG_LIMIT_MS = 5.0
LAG_SHARE = 0.01
"""A client late by less than this share of a request's time cannot be what holds the endpoint back."""
POWER_EVERY_S = 1.0
LOCK_NAMESPACE = 0x53574550


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLevel:
    """One level, with the power its GPUs drew where a meter was read."""

    level: Level
    watts: float | None = None


Measure = Callable[[int], Awaitable[Level]]


async def measure_levels(
    measure: Measure,
    plan: SweepPlan,
    *,
    read_host: Callable[[], HostGpus] | None = None,
    on_level: Callable[[Level], None] = lambda level: None,
) -> list[MeasuredLevel]:
    """Levels in order until more requests at once gain under 5 %, break the limit, or none succeeds."""
    found: list[MeasuredLevel] = []
    for concurrency in plan.levels:
        async with watched_power(read_host) as readings:
            level = await measure(concurrency)
        on_level(level)
        before = max((one.level.throughput_tps or 0.0 for one in found), default=0.0)
        found.append(MeasuredLevel(level=level, watts=mean_watts(readings)))
        if ends_sweep(level, before, plan):
            break
    return found


def ends_sweep(level: Level, before_tps: float, plan: SweepPlan) -> bool:
    is_flat = plan.stops_when_flat and (level.throughput_tps or 0.0) < before_tps * (1 + MIN_GAIN)
    breaks_limit = (
        plan.ttft_max_ms is not None
        and level.ttft_ms_p95 is not None
        and level.ttft_ms_p95 > plan.ttft_max_ms
    )
    return not level.samples_ok or is_flat or breaks_limit


@contextlib.asynccontextmanager
async def watched_power(read_host: Callable[[], HostGpus] | None) -> AsyncIterator[list[HostGpus]]:
    """Readings of the meter once a second while a level runs, each in a thread so that no probe waits for it."""
    readings: list[HostGpus] = []
    if read_host is None:
        yield readings
        return

    async def watch() -> None:
        while True:
            await asyncio.sleep(POWER_EVERY_S)
            readings.append(await asyncio.to_thread(read_host))

    watcher = asyncio.create_task(watch())
    try:
        yield readings
    finally:
        watcher.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watcher


def sweep_deployment(
    deployment: Deployment,
    plan: SweepPlan,
    *,
    planned_at: dt.datetime,
    on_level: Callable[[Level], None] = lambda level: None,
) -> Sweep | None:
    """Measure and store; None where this plan was done already or another sweep of it is running."""
    with held(deployment) as is_mine:
        if not is_mine or Sweep.objects.filter(deployment=deployment, planned_at=planned_at).exists():
            return None
        refresh_deployment(deployment, now=dt.datetime.now(dt.UTC))
        endpoint, workload = endpoint_of(deployment.offering), workload_of(deployment)
        meter = (lambda: ask_host(deployment)) if ask_host(deployment).watts is not None else None
        levels = asyncio.run(
            measure_levels(measurer(endpoint, workload, plan), plan, read_host=meter, on_level=on_level)
        )
        return record_sweep(deployment, plan, workload, levels, planned_at=planned_at)


def measurer(endpoint: Endpoint, workload: Workload, plan: SweepPlan) -> Measure:
    return lambda concurrency: run_level(endpoint, workload, concurrency=concurrency, phase_s=plan.phase_s)


def workload_of(deployment: Deployment) -> Workload:
    """The offering's first workload, else the board's usual one."""
    named = deployment.offering.workloads
    return get_workload(named[0] if named else DEFAULT_WORKLOAD)


def record_sweep(
    deployment: Deployment,
    plan: SweepPlan,
    workload: Workload,
    levels: Sequence[MeasuredLevel],
    *,
    planned_at: dt.datetime,
) -> Sweep | None:
    """All of it or nothing; None where this plan was recorded already."""
    saturated = first_saturated([one.level for one in levels])
    try:
        with transaction.atomic():
            sweep = Sweep.objects.create(
                **set_up_of(deployment),
                deployment=deployment,
                planned_at=planned_at,
                measured_at=levels[0].level.measured_at,
                finished_at=dt.datetime.now(dt.UTC),
                probe_location=settings.PROBE_LOCATION,
                workload=workload.slug,
                workload_version=workload.version,
                methodology_version=METHODOLOGY_VERSION,
                phase_s=plan.phase_s,
                was_foreign=plan.is_foreign,
            )
            SweepLevel.objects.bulk_create(
                row_of(sweep, one, is_saturated=saturated is not None and number >= saturated)
                for number, one in enumerate(levels)
            )
    except IntegrityError:
        return None
    return sweep


def set_up_of(deployment: Deployment) -> dict[str, object]:
    """The facts as they stand now, kept with the sweep."""
    return {
        "engine": deployment.engine,
        "engine_version": deployment.engine_version,
        "engine_args": deployment.engine_args,
        "gpu_model": deployment.gpu.name,
        "gpu_count": deployment.gpu_count,
        "gpu_memory_gib": deployment.gpu.memory_gib,
        "driver_version": deployment.driver_version,
        "hardware_source": deployment.hardware_source,
        "quantization": deployment.offering.quantization,
        "tensor_parallel": deployment.tensor_parallel,
        "pipeline_parallel": deployment.pipeline_parallel,
        "expert_parallel": deployment.expert_parallel,
        "speculative_decoding": deployment.speculative_decoding,
        "max_model_len": deployment.max_model_len,
    }


def row_of(sweep: Sweep, one: MeasuredLevel, *, is_saturated: bool) -> SweepLevel:
    level, late = one.level, is_client_bound(one.level)
    return SweepLevel(
        sweep=sweep,
        concurrency=level.concurrency,
        samples_ok=level.samples_ok,
        samples_failed=max(0, level.requests - level.samples_ok),
        output_speed_tps_user_p50=published(level.output_speed_tps_user_p50, TPS_DECIMALS),
        throughput_tps=published(level.throughput_tps, TPS_DECIMALS),
        throughput_in_tps=published(level.throughput_in_tps, TPS_DECIMALS),
        ttft_ms_p50=published(level.ttft_ms_p50, MS_DECIMALS),
        ttft_ms_p95=published(level.ttft_ms_p95, MS_DECIMALS),
        client_lag_ms=published(level.client_lag_ms, MS_DECIMALS),
        power_w=published(one.watts, 2),
        is_saturated=is_saturated,
        excluded=late,
        exclusion_reason="client_lag" if late else "",
        figures={"window_s": round(level.window_s, 3), "requests": level.requests},
    )


def published(value: float | None, decimals: int) -> float | None:
    """With published decimals; None too where nothing is left of it."""
    return None if value is None else round(value, decimals) or None


def first_saturated(levels: Sequence[Level]) -> int | None:
    """The first level that no later one beats by 5 %, where there is a later one to say so."""
    reached = [level.throughput_tps or 0.0 for level in levels]
    for number, throughput in enumerate(reached[:-1]):
        if throughput and max(reached[number + 1 :]) < throughput * (1 + MIN_GAIN):
            return number
    return None


def is_client_bound(level: Level) -> bool:
    """Whether our own event loop was late enough to hold the endpoint back: over 5 ms, and 1 % of a request's time."""
    if level.client_lag_ms is None or level.client_lag_ms <= LAG_LIMIT_MS:
        return False
    if not level.samples_ok:
        return True
    request_ms = 1000 * level.concurrency * level.window_s / level.samples_ok
    return level.client_lag_ms > request_ms * LAG_SHARE


@contextlib.contextmanager
def held(deployment: Deployment) -> Iterator[bool]:
    """True for one holder at a time, on any machine: a dead holder's connection gives it free."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(%s, %s)", [LOCK_NAMESPACE, deployment.pk])
        (is_mine,) = cursor.fetchone()
    try:
        yield bool(is_mine)
    finally:
        if is_mine:
            with connection.cursor() as cursor:
                cursor.execute("select pg_advisory_unlock(%s, %s)", [LOCK_NAMESPACE, deployment.pk])
