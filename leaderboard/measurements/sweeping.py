"""One sweep of one deployment: levels measured, judged for saturation and for our own client, and stored together.

Nothing an endpoint does raises. No address and no key is stored or told.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from django.db import connection

from leaderboard.catalogue.engines.power import HostGpus, mean_watts
from leaderboard.catalogue.engines.refreshing import ask_host, refresh_deployment
from leaderboard.catalogue.models import Deployment
from leaderboard.measurements.models import Sweep
from leaderboard.measurements.probing import endpoint_of
from leaderboard.measurements.sweep_recording import MeasuredLevel, record_sweep
from leaderboard.measurements.sweep_rules import SweepPlan
from probes.endpoint import Endpoint
from probes.level import Level
from probes.sweep import MIN_GAIN, run_level
from probes.workloads import DEFAULT_WORKLOAD, Workload, get_workload

POWER_EVERY_S = 1.0
LOCK_NAMESPACE = 0x53574550


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
