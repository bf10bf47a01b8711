"""Closed loops, warm caches and what an endpoint refuses."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from probes.capability import learn_capabilities
from probes.endpoint import Capabilities, Endpoint
from probes.lab import Lab
from probes.result import ProbeResult
from probes.run import run_probe_blocking, run_probes, run_workload
from probes.workloads import get_workload
from tests.probes.network.conftest import QUICK, SHORT, on_a_busy_machine


def test_closed_loop_keeps_the_concurrency_and_asks_each_once(lab: Lab) -> None:
    endpoint = Endpoint("openai-chat", lab.url, "plain-ttft50-tps2000")

    results = asyncio.run(run_probes(endpoint, SHORT, requests=7, concurrency=3, limits=QUICK))

    spans = [(served.received_ns, served.sent_ns[-1]) for served in lab.wait_for_requests(7)]
    overlaps = [sum(start <= other < end for start, end in spans) for other, _ in spans]
    assert max(overlaps) == 3
    assert len({result.request_id for result in results}) == 7
    assert {result.concurrency for result in results} == {3}


def test_each_result_is_told_when_it_is_judged(lab: Lab) -> None:
    told: list[ProbeResult] = []
    endpoint = Endpoint("openai-chat", lab.url, "plain-ttft20-tps4000")

    results = asyncio.run(run_probes(endpoint, SHORT, requests=3, limits=QUICK, on_result=told.append))

    assert told == results


def test_cancelled_loop_keeps_what_has_ended(lab: Lab) -> None:
    told: list[ProbeResult] = []
    endpoint = Endpoint("openai-chat", lab.url, "plain-ttft20-tps4000")

    async def cancel_after_two() -> None:
        ended = asyncio.Semaphore(0)
        run = asyncio.create_task(
            run_probes(endpoint, SHORT, requests=500, concurrency=2, limits=QUICK, on_end=ended.release,
                       on_result=told.append)
        )  # fmt: skip
        await ended.acquire()
        await ended.acquire()
        run.cancel()
        await asyncio.wait([run])

    asyncio.run(cancel_after_two())

    assert 2 <= len(told) < 500
    assert {result.outcome for result in told} == {"ok"}


@on_a_busy_machine
def test_parallel_workload_sends_ten_at_once(lab: Lab) -> None:
    workload = replace(get_workload("parallel-10"), max_output_tokens=20)

    results = asyncio.run(
        run_workload(Endpoint("openai-chat", lab.url, "plain-ttft80"), workload, limits=QUICK)
    )

    starts = [served.received_ns for served in lab.wait_for_requests(10)[-10:]]
    assert [result.outcome for result in results] == ["ok"] * 10
    assert (max(starts) - min(starts)) / 1e6 < 75


def test_warm_cache_workload_asks_once_before_it_counts(lab: Lab) -> None:
    workload = replace(get_workload("warm-cache"), max_output_tokens=20)

    result = run_probe_blocking(Endpoint("openai-chat", lab.url, "plain-ttft20-tps2000-cached500"), workload)

    priming, counted = lab.wait_for_requests(2)
    assert priming.request_id != result.request_id
    assert counted.request_id == result.request_id
    assert result.cached_input_tokens == 500
    assert not result.excluded or result.exclusion_reason != "cache_hit"


def test_refusals_are_learnt_outside_of_measured_probes(lab: Lab) -> None:
    endpoint = Endpoint("openai-chat", lab.url, "plain-n5-ttft5-newlimit-nostreamoptions-notemperature")

    learnt = asyncio.run(learn_capabilities(endpoint, limits=QUICK))

    assert learnt.capabilities == Capabilities(
        stream_options=False, output_limit_field="max_completion_tokens", temperature=False
    )
    assert len(learnt.evidence) == 3
    assert learnt.last.outcome == "ok"


def test_nothing_is_learnt_from_an_endpoint_that_works(lab: Lab) -> None:
    endpoint = Endpoint("openai-chat", lab.url, "plain-n5-ttft5")

    learnt = asyncio.run(learn_capabilities(endpoint, limits=QUICK))

    assert learnt.capabilities == Capabilities()
    assert learnt.evidence == ()
    assert len(lab.wait_for_requests(1)) == 1


def test_measured_probe_does_not_learn(lab: Lab) -> None:
    result = run_probe_blocking(Endpoint("openai-chat", lab.url, "nostreamoptions"), SHORT, limits=QUICK)

    assert result.outcome == "capability"
    assert len(lab.wait_for_requests(1)) == 1
