"""An API whose first answer only names the stream: one probe, one clock, one deadline, and a key that stays home."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from probes.endpoint import Endpoint
from probes.lab import Lab
from probes.result import ProbeResult
from probes.run import run_probe
from tests.probes.network.conftest import QUICK, SHORT, on_a_busy_machine
from tests.probes.network.servers import ScriptedServer, answer_with

KEY = "canary-key-0123456789"


def measure(url: str, model: str = "plain", *, key: str | None = None) -> ProbeResult:
    endpoint = Endpoint("replicate", url, model, api_key=key)
    return asyncio.run(run_probe(endpoint, SHORT, limits=QUICK))


@on_a_busy_machine
def test_the_clock_begins_with_the_first_request_and_ends_with_the_stream(lab: Lab) -> None:
    result = measure(lab.url, "steady-ttft120-tps400-n40", key=KEY)

    created, streamed = lab.wait_for_requests(2)[-2:]
    assert (result.outcome, result.finish_reason, result.http_status) == ("ok", "done", 200)
    assert created.request_id == streamed.request_id == result.request_id
    assert created.authorization == streamed.authorization == f"Bearer {KEY}"
    assert result.ttft_ms == pytest.approx((streamed.content_ns[0] - created.received_ns) / 1e6, abs=3)
    assert result.ttft_ms == pytest.approx(120, abs=15)
    assert (result.chunks, result.token_source, result.output_tokens) == (40, "tokenizer", 40)


@pytest.mark.parametrize(
    ("model", "outcome", "detail"),
    [
        ("whole", "capability", "not_streamed"),
        ("http429-retry9", "rate_limited", "rate_limit"),
        ("nofinish-ttft5-tps2000-n9", "stream_broken", "truncated"),
        ("miderror-ttft5-tps2000-n9", "stream_broken", "server"),
        ("drop-ttft5-tps2000-n9", "stream_broken", "reset"),
        ("no-such-thing", "not_found", "not_found"),
        ("stall-n40-ttft5-tps2000", "timeout", "stalled"),
    ],
)
def test_what_goes_wrong_on_the_way_is_told_apart(lab: Lab, model: str, outcome: str, detail: str) -> None:
    result = measure(lab.url, model)

    assert (result.outcome, result.detail) == (outcome, detail), result.message


def test_a_stream_on_another_host_is_not_asked_and_is_ours() -> None:
    with ScriptedServer(answer_with(b"{}")) as other:
        stream = f"{other.url}/streams/1"
        created = json.dumps({"status": "starting", "urls": {"stream": stream}}).encode()
        with ScriptedServer(answer_with(created, head="content-type: application/json\r\n")) as server:
            result = measure(server.url, key=KEY)

    assert (result.outcome, result.detail) == ("ours", "cannot_ask")
    assert other.connections == 0
    assert KEY not in repr(result)


def test_one_deadline_covers_both_requests(lab: Lab) -> None:
    limits = replace(QUICK, first_token_s=0.3)

    endpoint = Endpoint("replicate", lab.url, "plain-ttft900")
    result = asyncio.run(run_probe(endpoint, SHORT, limits=limits))

    streamed = lab.wait_for_requests(2)[-1]
    assert (result.outcome, result.detail) == ("timeout", "timeout_first_token")
    assert streamed.ending == "client left"
