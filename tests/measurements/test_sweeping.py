from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection

from leaderboard.catalogue.engines import refreshing
from leaderboard.catalogue.engines.power import HostGpus
from leaderboard.catalogue.models import Deployment
from leaderboard.measurements import sweep_tasks, sweeping
from leaderboard.measurements.models import Sweep, SweepLevel, SweepSample
from leaderboard.measurements.sweep_recording import (
    MeasuredLevel,
    figure_of,
    first_saturated,
    half_even,
    record_sweep,
)
from leaderboard.measurements.sweep_rules import SweepPlan
from leaderboard.measurements.sweeping import LOCK_NAMESPACE, held, measure_levels, sweep_deployment
from probes.lab.server import Lab
from probes.level import Level, LevelSample, Window, sum_up
from probes.result import ProbeResult
from probes.workloads import get_workload
from tests.factories import make_deployment, make_model, make_offering, make_provider, make_sweep

NOW = dt.datetime(2026, 7, 15, 3, tzinfo=dt.UTC)


def make_level(concurrency: int, throughput_tps: float | None, **fields: Any) -> Level:
    defaults: dict[str, Any] = {
        "measured_at": NOW,
        "workload": "medium",
        "samples_ok": 10,
        "output_speed_tps_user_p50": 50.0,
        "throughput_in_tps": 20.0,
        "ttft_ms_p50": 100.0,
        "ttft_ms_p95": 150.0,
        "client_lag_ms": 0.5,
        "requests": 11,
        "window_s": 18.0,
    }
    return Level(concurrency=concurrency, throughput_tps=throughput_tps, **defaults | fields)


def swept(levels: list[Level], plan: SweepPlan) -> list[int]:
    """The levels that a sweep goes through before it stops."""
    by_concurrency = {level.concurrency: level for level in levels}

    async def measure(concurrency: int) -> Level:
        return by_concurrency[concurrency]

    found = asyncio.run(measure_levels(measure, plan))
    return [one.level.concurrency for one in found]


PLAN = SweepPlan(levels=(1, 2, 4, 8), phase_s=20)


def test_a_sweep_goes_on_while_throughput_gains_five_percent() -> None:
    assert swept([make_level(c, t) for c, t in ((1, 100.0), (2, 190.0), (4, 199.4), (8, 500.0))], PLAN) == [
        1,
        2,
        4,
    ]
    assert swept([make_level(c, t) for c, t in ((1, 100.0), (2, 190.0), (4, 199.6), (8, 500.0))], PLAN) == [
        1,
        2,
        4,
        8,
    ]


def test_a_sweep_ends_where_the_wait_breaks_the_limit() -> None:
    levels = [make_level(c, 100.0 * c, ttft_ms_p95=100.0 * c) for c in (1, 2, 4, 8)]

    assert swept(levels, SweepPlan(levels=(1, 2, 4, 8), ttft_max_ms=300.0)) == [1, 2, 4]


def test_a_sweep_ends_where_nothing_succeeds() -> None:
    assert swept([make_level(1, None, samples_ok=0)], SweepPlan(levels=(1, 2), stops_when_flat=False)) == [1]


def test_power_is_read_during_each_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "POWER_EVERY_S", 0.001)
    asked: list[HostGpus] = []

    async def run() -> list[MeasuredLevel]:
        loop, is_read = asyncio.get_running_loop(), asyncio.Event()

        def read_host() -> HostGpus:
            asked.append(HostGpus(watts=600.0))
            if len(asked) == 2:  # by then the first reading is kept
                loop.call_soon_threadsafe(is_read.set)
            return asked[-1]

        async def measure(concurrency: int) -> Level:
            await is_read.wait()
            return make_level(concurrency, 100.0)

        return await measure_levels(measure, SweepPlan(levels=(1,)), read_host=read_host)

    assert [one.watts for one in asyncio.run(run())] == [600.0]


@pytest.mark.parametrize(
    ("reached", "saturated"),
    [
        ([100, 190, 350], None),
        ([100, 190, 195], 1),
        ([100, 190, 180, 185], 1),
        ([100, None], 0),
        ([100], None),
        ([None, 100, 200], None),
    ],
)
def test_saturation_is_the_first_level_that_no_later_one_beats(
    reached: list[float | None], saturated: int | None
) -> None:
    levels = [make_level(2**n, tps) for n, tps in enumerate(reached)]

    assert first_saturated(levels) == saturated


@pytest.mark.parametrize(("median", "told"), [(34.2745, 34.274), (4151.1745, 4151.174), (0.0005, 0.0)])
def test_a_median_between_two_published_values_is_rounded_by_the_digits_one_reads(
    median: float, told: float
) -> None:
    assert figure_of("end_to_end_ms_p50", median) == told


@pytest.mark.django_db
def test_a_sweep_is_stored_once_with_its_set_up_and_published_decimals() -> None:
    deployment = make_deployment(gpu_count=8, engine="vllm", engine_version="0.11", tensor_parallel=8)
    levels = [
        MeasuredLevel(level=make_level(1, 123.456789)),
        MeasuredLevel(level=make_level(2, 124.0, client_lag_ms=900.0), watts=5600.126),
    ]

    first = record_sweep(deployment, PLAN, get_workload("medium"), levels, planned_at=NOW)
    again = record_sweep(deployment, PLAN, get_workload("medium"), levels, planned_at=NOW)

    assert again is None
    sweep = Sweep.objects.get()
    assert sweep == first
    assert (sweep.gpu_count, sweep.engine_version, sweep.tensor_parallel) == (8, "0.11", 8)
    assert (sweep.gpu_model, sweep.quantization, sweep.probe_location) == (
        deployment.gpu.name,
        "fp8",
        "local",
    )
    one, two = sweep.levels.order_by("concurrency")
    assert (one.throughput_tps, one.samples_failed, one.excluded) == (123.4568, 1, False)
    assert (one.is_saturated, two.is_saturated) == (True, True)
    assert (two.power_w, two.excluded, two.exclusion_reason) == (5600.13, True, "client_lag")


@pytest.mark.django_db
def test_one_sweep_of_a_deployment_at_a_time() -> None:
    deployment = make_deployment()
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(%s, %s)", [LOCK_NAMESPACE, deployment.pk])
        with held(deployment) as is_mine:
            assert not is_mine
        cursor.execute("select pg_advisory_unlock_all()")
    other.close()

    with held(deployment) as is_mine:
        assert is_mine


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab() as running:
        yield running


def of_lab(lab: Lab, model_name: str, **fields: Any) -> Deployment:
    provider = make_provider(kind="self_hosted", base_url=lab.url)
    offering = make_offering(
        provider=provider,
        model=make_model(),
        hosting="self_hosted",
        provider_model_name=model_name,
        workloads=["short"],
    )
    return make_deployment(endpoint_id="lab", offering=offering, **fields)


@pytest.mark.django_db
def test_a_deployment_is_swept_from_the_shell(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    of_lab(lab, "steady-ttft5-tps400-n40")

    call_command("sweep", endpoint="lab", levels="1,2", phase_s=1.5)

    sweep = Sweep.objects.get()
    one, two = sweep.levels.order_by("concurrency")
    assert (sweep.workload, sweep.phase_s) == ("short", 1.5)
    assert one.samples_ok >= 2
    assert two.throughput_tps > one.throughput_tps > 100
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.django_db
def test_every_figure_of_a_level_can_be_counted_again_from_its_stored_requests(lab: Lab) -> None:
    deployment = of_lab(lab, "plain-ttft5-tps400-n60-reason9-fail20")

    sweep = sweep_deployment(deployment, SweepPlan(levels=(1, 3), phase_s=1.2), planned_at=NOW)

    assert sweep is not None
    for stored in sweep.levels.all():
        again = summed_up_again(stored)
        requests = stored.samples.count()
        assert (stored.samples_ok, stored.figures["requests"]) == (again.samples_ok, requests)
        assert stored.samples_failed == requests - again.outcomes["ok"]
        assert stored.throughput_tps == half_even(again.throughput_tps or 0, 4)
        assert stored.throughput_in_tps == half_even(again.throughput_in_tps or 0, 4)
        assert (stored.figures["outcomes"], stored.figures["exclusions"]) == (
            again.outcomes,
            again.exclusions,
        )
        for name, value in again.figures.items():
            assert stored.figures[name] == figure_of(name, value), name


def summed_up_again(stored: SweepLevel) -> Level:
    window = Window(from_ms=stored.figures["window_from_ms"], to_ms=stored.figures["window_to_ms"])
    return sum_up(
        [as_sample(row) for row in stored.samples.order_by("sequence")],
        window,
        measured_at=NOW,
        workload="short",
        concurrency=stored.concurrency,
    )


def as_sample(row: SweepSample) -> LevelSample:
    names = {f.name for f in dataclasses.fields(ProbeResult)} & {f.name for f in row._meta.local_fields}
    told = {name: getattr(row, name) for name in names}
    return LevelSample(
        lane=row.lane,
        sent_ms=row.sent_ms,
        window_share=row.window_share,
        window_tokens=row.window_tokens,
        result=ProbeResult(request_id="", workload="short", workload_version=1, **told),
    )


@pytest.mark.django_db
def test_what_cannot_be_swept_is_said_without_an_address(lab: Lab) -> None:
    of_lab(lab, "status-http500")
    address = lab.url

    for arguments, words in (
        ({"endpoint": "nobody"}, "Known: lab"),
        ({"endpoint": "lab", "levels": "one"}, "whole numbers"),
        ({"endpoint": "lab", "levels": "1", "phase_s": 0.2}, "No request to lab succeeded"),
    ):
        with pytest.raises(CommandError, match=words) as refused:
            call_command("sweep", **arguments)
        assert address not in str(refused.value)


@pytest.mark.django_db
def test_the_task_does_a_plan_once(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    deployment = of_lab(lab, "steady-ttft5-tps400-n40")
    short = SweepPlan(levels=(1,), phase_s=0.3)
    monkeypatch.setattr(sweep_tasks, "usual_plan", lambda deployment: short)

    sweep_tasks.sweep(deployment.pk, NOW.isoformat())
    served = len(lab.served)
    sweep_tasks.sweep(deployment.pk, NOW.isoformat())

    assert Sweep.objects.count() == 1
    assert len(lab.served) == served > 0


@pytest.mark.django_db
def test_each_simulated_deployment_is_swept_once_and_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = make_provider(kind="self_hosted", simulated=True)
    offering = make_offering(provider=provider, hosting="self_hosted")
    one, two = (make_deployment(endpoint_id=name, offering=offering) for name in ("one", "two"))
    make_deployment(retired_on=dt.date(2026, 7, 1), offering=offering)
    make_deployment()  # real ones wait for their operator's word
    sent: list[Deployment] = []
    monkeypatch.setattr(sweep_tasks, "send_sweep", lambda deployment, slot, **_: sent.append(deployment))
    level = {"concurrency": 1}

    sweep_tasks.plan_sweeps()
    make_sweep(one, [level])
    sweep_tasks.plan_sweeps()
    make_sweep(two, [level])
    sweep_tasks.plan_sweeps()

    assert sent == [one, two]


@pytest.mark.django_db
def test_a_simulated_sweep_that_measured_a_busy_machine_is_tried_again_in_the_next_hour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provider = make_provider(kind="self_hosted", simulated=True)
    deployment = make_deployment(offering=make_offering(provider=provider, hosting="self_hosted"))
    sent: list[Deployment] = []
    monkeypatch.setattr(sweep_tasks, "send_sweep", lambda deployment, slot, **_: sent.append(deployment))
    late = {"concurrency": 1, "excluded": True, "exclusion_reason": "client_lag"}

    with time_machine.travel(NOW, tick=False):
        make_sweep(deployment, [late], planned_at=NOW)
        sweep_tasks.plan_sweeps()
    assert sent == []
    with time_machine.travel(NOW + dt.timedelta(hours=1), tick=False):
        sweep_tasks.plan_sweeps()
    assert sent == [deployment]


@pytest.mark.django_db
def test_a_simulated_deployment_tells_no_power_of_the_machine_it_runs_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refreshing, "ask_this_machine", lambda: HostGpus(watts=600.0))
    address = {"kind": "self_hosted", "base_url": "http://127.0.0.1:9/v1"}
    real, simulated = (
        make_deployment(
            offering=make_offering(
                provider=make_provider(simulated=is_simulated, **address), hosting="self_hosted"
            )
        )
        for is_simulated in (False, True)
    )

    assert refreshing.ask_host(real).watts == 600.0
    assert refreshing.ask_host(simulated).watts is None


@pytest.mark.django_db
def test_the_task_leaves_a_retired_deployment_alone() -> None:
    deployment = make_deployment(retired_on=dt.date(2026, 7, 1))

    sweep_tasks.sweep(deployment.pk, NOW.isoformat())

    assert not Sweep.objects.exists()


@pytest.mark.django_db
def test_an_engine_that_is_away_tells_nothing_and_the_sweep_is_still_kept(lab: Lab) -> None:
    deployment = of_lab(lab, "steady-ttft5-tps400-n40", engine_version="typed")

    done = sweep_deployment(deployment, SweepPlan(levels=(1,), phase_s=0.3), planned_at=NOW)

    assert done is not None
    assert (done.engine_version, done.hardware_source) == ("typed", "declared")


def test_the_tasks_keep_the_rules_of_every_task() -> None:
    for task in (sweep_tasks.plan_sweeps, sweep_tasks.sweep, sweep_tasks.read_engines):
        assert task.name == f"measurements.{task.__name__}"
        assert task.acks_late
        assert task.ignore_result
        assert task.time_limit > task.soft_time_limit
