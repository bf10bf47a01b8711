"""The http, error and framing cases over real sockets: the same verdicts as on the virtual clock, in real time."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from probes.cli.json_lines import result_fields
from probes.endpoint import Endpoint, Limits
from probes.result import ProbeResult
from probes.run import run_probe
from probes.workloads import get_workload
from tests.probes.network.servers import CaseServer
from tests.probes.test_cases import DECIDED, class_of, enters_statistics

FOLDER = Path(__file__).parents[2] / "cases"
PATHS = [path for kind in ("http", "error", "framing") for path in sorted((FOLDER / kind).glob("*.json"))]
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in (json.loads(path.read_bytes()) for path in PATHS)
}
TOLERANCE_MS = 40.0
"""Server and probes share one process and two busy cores."""
AT_ONCE = 20


async def play_all(port: int, case_ids: Iterable[str]) -> dict[str, ProbeResult]:
    slots = asyncio.Semaphore(AT_ONCE)

    async def play(case: dict[str, Any]) -> ProbeResult:
        async with slots:
            return await play_case(case, port)

    results = await asyncio.gather(*(play(CASES[case_id]) for case_id in case_ids))
    return dict(zip(case_ids, results, strict=True))


async def play_case(case: dict[str, Any], port: int) -> ProbeResult:
    request, connect = case["request"], case.get("transport", {}).get("connect")
    scheme = "https" if connect == "plain_on_tls" else "http"
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        target = unused.getsockname()[1] if connect == "refuse" else port
        endpoint = Endpoint(
            case["protocol"],
            f"{scheme}://127.0.0.1:{target}/case/{case['id']}/v1",
            request["model"],
            api_key=request.get("api_key"),
            pinned_provider=request.get("pinned_provider"),
        )
        workload = replace(get_workload("short"), max_output_tokens=request["max_tokens"])
        return await run_probe(endpoint, workload, limits=read_limits(request.get("limits", {})))


def read_limits(given: dict[str, int]) -> Limits:
    plain = Limits()
    return Limits(
        first_token_s=given.get("first_token_ms", 10_000) / 1000,
        idle_s=given.get("idle_ms", 10_000) / 1000,
        deadline_s=given.get("total_ms", 20_000) / 1000,
        max_bytes=given.get("max_bytes", plain.max_bytes),
        max_event_bytes=given.get("max_event_bytes", plain.max_event_bytes),
    )


def test_cases_are_judged_as_on_the_virtual_clock() -> None:
    """One test for all: they are played at once, the slowest takes six seconds; what differs gets four more tries."""
    case_server = CaseServer(CASES)
    differences: dict[str, list[str]] = {case_id: [] for case_id in CASES}

    with case_server.server as server:
        for _ in range(5):
            case_server.hits.clear()
            results = asyncio.run(play_all(server.port, differences))
            compared = {case_id: compare(case_id, result, case_server) for case_id, result in results.items()}
            differences = {case_id: found for case_id, found in compared.items() if found}
            if not differences:
                break

    assert differences == {}


def compare(case_id: str, result: ProbeResult, case_server: CaseServer) -> list[str]:
    expected = {**CASES[case_id]["expect"], **DECIDED.get(case_id, {})}
    row, found = result_fields(result), []
    if class_of(row) != expected["outcome"]:
        found.append(f"{class_of(row)}, not {expected['outcome']}: {result.message}")
    if enters_statistics(row) is not expected["enters_stats"]:
        found.append(f"enters statistics: {not expected['enters_stats']}")
    if len(case_server.hits.get(case_id, [])) > 1:
        found.append("asked more than once")
    if expected["outcome"] == "ok" and result.ttft_ms != pytest.approx(expected["ttft_ms"], abs=TOLERANCE_MS):
        found.append(f"ttft_ms {result.ttft_ms}, not {expected['ttft_ms']}")
    if expected["outcome"] == "ok" and result.output_tokens != expected["output_tokens"]:
        found.append(f"output_tokens {result.output_tokens}, not {expected['output_tokens']}")
    if "retry_after_s" in expected and result.retry_after_s != expected["retry_after_s"]:
        found.append(f"retry_after_s {result.retry_after_s}, not {expected['retry_after_s']}")
    return found + [
        f"says {word}" for word in expected.get("message_not_contains", []) if word in json.dumps(row)
    ]
