"""The concurrency sweep against a lab whose capacity is known."""

from __future__ import annotations

import asyncio
import json
import socket
from dataclasses import replace

import pytest

from probes.__main__ import main
from probes.cli import sweep as cli
from probes.cli.sweep import GPU_COLUMNS
from probes.endpoint import Endpoint
from probes.lab import Lab
from probes.level import METRICS, STATISTICS
from probes.sweep import is_own_network, run_sweep
from probes.workloads import get_workload
from tests.probes.network.conftest import QUICK, on_a_busy_machine

WORKLOAD = replace(get_workload("short"), max_output_tokens=60)


@on_a_busy_machine
def test_sweep_finds_the_plateau_and_stops(lab: Lab) -> None:
    endpoint = Endpoint("openai-chat", lab.url, "plain-ttft10-tps200-share400")

    rows = asyncio.run(run_sweep(endpoint, WORKLOAD, levels=(1, 2, 4, 8, 16), phase_s=1.2, limits=QUICK))

    single, double, *_ = rows
    assert [row.concurrency for row in rows] == [1, 2, 4]
    assert single.output_speed_tps_user_p50 == pytest.approx(200, rel=0.05)
    # A request takes 10 ms to its first token and 295 ms for the rest: 60 tokens in 305 ms.
    assert single.throughput_tps == pytest.approx(60 / 0.305, rel=0.08)
    assert double.throughput_tps == pytest.approx(2 * 60 / 0.305, rel=0.08)
    assert rows[-1].output_speed_tps_user_p50 == pytest.approx(100, rel=0.1)


def test_sweep_stops_where_nothing_succeeds(lab: Lab) -> None:
    endpoint = Endpoint("openai-chat", lab.url, "http503")

    rows = asyncio.run(run_sweep(endpoint, WORKLOAD, levels=(1, 2), phase_s=0.2, limits=QUICK))

    assert len(rows) == 1
    assert (rows[0].samples_ok, rows[0].throughput_tps) == (0, None)


def test_sweep_rows_have_the_published_columns(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--levels", "1,2", "--phase-s", "0.4", "--max-output-tokens", "40", "--json"]

    code = main(["sweep", "--url", lab.url, "--model", "plain-ttft10-tps400", *options])

    *rows, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert [row["concurrency"] for row in rows] == [1, 2]
    assert list(rows[0])[: len(GPU_COLUMNS)] == list(GPU_COLUMNS)
    assert rows[0]["client_lag_ms"] is not None
    assert list(rows[0])[len(GPU_COLUMNS)] == "client_lag_ms"
    late = [row["concurrency"] for row in rows if row["client_bound"]]
    assert last["summary"]["client_bound_levels"] == late
    assert last["summary"]["saturated_concurrency"] in ({1, 2} - set(late) or {None})


def test_sweep_rows_tell_every_metric_of_a_probe(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--levels", "2", "--phase-s", "0.8", "--max-output-tokens", "80", "--json"]

    main(["sweep", "--url", lab.url, "--model", "plain-ttft10-tps400-reason8", *options])

    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert {f"{metric}_{statistic}" for metric in METRICS for statistic in STATISTICS} <= set(row)
    assert all(row[f"{metric}_p50"] is not None for metric in METRICS)
    assert row["outcomes"] == {"ok": row["requests"]}
    assert (row["success_rate"], row["uptime"], row["exclusions"]) == (1.0, 1.0, {})
    assert row["ttft_ms_p50_low"] <= row["ttft_ms_p50"] <= row["ttft_ms_p50_high"]
    # Without a token before its thinking the answer comes later than the first token.
    assert row["ttfat_ms_p50"] > row["ttft_ms_p50"]
    assert "samples" not in row


def test_host_of_others_needs_their_leave(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("8.8.8.8", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answer)

    code = main(["sweep", "--url", "https://api.example.com/v1", "--model", "m"])

    assert code == 2
    assert "--i-may-load-this-host" in capsys.readouterr().err


def test_a_host_of_others_is_loaded_lightly_even_with_their_leave(
    lab: Lab, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nobodys_own(host: str, port: int) -> bool:
        return False

    asked: dict[str, object] = {}

    async def sweep(endpoint: Endpoint, workload: object, **options: object) -> list[object]:
        asked.update(options)
        return []

    monkeypatch.setattr(cli, "is_own_network", nobodys_own)
    monkeypatch.setattr(cli, "run_sweep", sweep)
    options = ["--levels", "1,4,16,64", "--phase-s", "90", "--i-may-load-this-host"]

    main(["sweep", "--url", lab.url, "--model", "m", *options])

    assert (asked["levels"], asked["phase_s"], asked["stops_when_flat"]) == ((1, 4), 20.0, True)
    assert "at most 4 requests at once, 20 s each level" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "10.1.2.3"])
def test_own_networks_may_be_loaded(host: str) -> None:
    assert asyncio.run(is_own_network(host, 443))


@pytest.mark.parametrize("host", ["8.8.8.8", "2606:4700:4700::1111"])
def test_public_hosts_are_nobodys_own(host: str) -> None:
    assert not asyncio.run(is_own_network(host, 443))


@pytest.mark.parametrize("levels", ["", "0", "1,-2", "one", "1,100000"])
def test_senseless_levels_are_refused(levels: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["sweep", "--url", "http://127.0.0.1:1/v1", "--model", "m", "--levels", levels])

    assert stopped.value.code == 2


def test_sweep_runs_each_level_that_was_asked_for(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    """The lab's capacity is reached at two: from there on levels add nothing, and still are measured."""
    address = ["--url", lab.url, "--model", "plain-ttft10-tps200-share400", "--max-output-tokens", "40"]

    status = main(["sweep", *address, "--levels", "2,4,8", "--phase-s", "0.5", "--json"])

    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert status == 0
    assert [row["concurrency"] for row in rows[:-1]] == [2, 4, 8]
