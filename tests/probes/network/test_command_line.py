"""`python -m probes run` and `lab` as a person at a shell has them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from probes.__main__ import main
from probes.cli.json_lines import SAMPLE_COLUMNS
from probes.lab import Lab

ROOT = Path(__file__).parents[3]
KEY = "probe-key-0123456789abcdef"
EXTRA_FIELDS = {
    "request_id", "detail", "fault", "message", "answer_chars", "answer_sha256_16", "reasoning_chars", "content_deltas",
    "reasoning_deltas", "dns_ms", "tcp_ms", "tls_ms", "headers_ms", "event_gap_p50_ms", "event_gap_p95_ms",
    "answer_speed_tps", "response_time_500_ms", "client_lag_ms", "retry_after_s", "flags",
}  # fmt: skip


def run(url: str, model: str, *more: str) -> int:
    return main(["run", "--url", url, "--model", model, "--max-output-tokens", "40", *more])


def read_lines(text: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The results and the summary."""
    *results, last = [json.loads(line) for line in text.splitlines()]
    return results, last["summary"]


def test_json_has_every_promised_field_and_a_summary(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(lab.url, "plain-ttft50-tps1000", "--requests", "3", "--json")

    results, summary = read_lines(capsys.readouterr().out)
    assert code == 0
    assert list(results[0])[: len(SAMPLE_COLUMNS)] == list(SAMPLE_COLUMNS)
    assert set(results[0]) >= EXTRA_FIELDS
    assert {served.request_id for served in lab.wait_for_requests(3)} == {
        result["request_id"] for result in results
    }
    assert (summary["requests"], summary["ok"], summary["ttft_ms"]["n"]) == (3, 3, 3)
    assert summary["ttft_ms"]["p50"] == sorted(result["ttft_ms"] for result in results)[1]


def test_table_shows_medians_and_failures(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(lab.url, "plain-ttft50-tps1000-n40", "--requests", "4")

    shown = capsys.readouterr().out
    assert code == 0
    assert "4 of 4 requests ok" in shown
    assert "output speed" in shown
    assert "⠀" in shown


def test_failures_of_the_provider_are_measured_requests(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(lab.url, "http503", "--requests", "2")

    assert code == 0
    assert "2 × server_error, overloaded" in capsys.readouterr().out


def test_nothing_sent_is_exit_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("http://127.0.0.1:1/v1", "plain", "--requests", "1", "--json") == 1
    assert read_lines(capsys.readouterr().out)[1]["outcomes"] == {"network": 1}


def test_saved_lines_are_the_printed_ones(
    lab: Lab, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "results.jsonl"

    run(lab.url, "plain-ttft20-tps2000", "--requests", "2", "--json", "--save", str(path))

    assert path.read_text() == capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--url", "api.example.com/v1"], "Did you mean https://api.example.com/v1?"),
        (["--url", "localhost:8000"], "Did you mean http://localhost:8000/v1?"),
        (["--url", "localhost:8000/v1"], "Did you mean http://localhost:8000/v1?"),
        (["--url", "https://a.test/v1/chat/completions"], "Did you mean https://a.test/v1?"),
        (["--url", f"https://{KEY}@a.test/v1"], "must not hold a user name or key"),
        (["--url", "https://a.test:port/v1"], "names no host"),
        (["--url", "https://a.test/v1", "--api-key-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE is not set"),
        (["--url", "https://a.test/v1", "--protocol", "telex"], "openai-chat"),
        (["--url", "https://a.test/v1", "--workload", "huge"], "choose one of short, medium"),
        (["--url", "https://a.test/v1", "--save", "/nowhere/at/all"], "Cannot write"),
    ],
)  # fmt: skip
def test_mistake_is_exit_two_with_a_sentence(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["run", "--model", "m", *options])

    shown = capsys.readouterr()
    assert code == 2
    assert sentence in shown.err
    assert KEY not in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("option", ["--requests", "--concurrency", "--deadline-s", "--max-output-tokens"])
def test_counts_below_one_are_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["run", "--url", "http://a.test/v1", "--model", "m", option, "0"])

    assert stopped.value.code == 2


def test_key_is_sent_and_never_shown(
    lab: Lab, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)

    run(lab.url, "plain-ttft20-tps2000", "--requests", "1", "--json", "--api-key-env", "LAB_KEY")

    shown = capsys.readouterr()
    assert lab.wait_for_requests(1)[-1].authorization == f"Bearer {KEY}"
    assert KEY not in shown.out + shown.err


def test_learnt_refusals_let_the_run_succeed(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(lab.url, "plain-ttft5-tps4000-newlimit-notemperature", "--requests", "1", "--learn")

    shown = capsys.readouterr()
    assert code == 0
    assert "1 of 1 requests ok" in shown.out
    assert "with max_completion_tokens" in shown.err


def test_interrupt_prints_what_was_measured(lab: Lab) -> None:
    command = [
        "run",
        "--url",
        lab.url,
        "--model",
        "plain-ttft20-tps2000-n40",
        "--requests",
        "100000",
        "--json",
    ]
    process = start(command)
    assert process.stdout is not None
    first = process.stdout.readline()

    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=20)

    summary = json.loads(rest.splitlines()[-1])["summary"]
    assert json.loads(first)["outcome"] == "ok"
    assert summary["interrupted"] is True
    assert summary["requests"] >= 1
    assert "Traceback" not in errors
    assert process.returncode == 130


def start(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "probes", *command], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONWARNINGS": "error"},
    )  # fmt: skip


@contextmanager
def lab_process(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    process = start(["lab", "--port", "0", *options])
    killer = threading.Timer(30, process.kill)
    killer.start()
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1], process
    finally:
        killer.cancel()
        process.terminate()
        process.communicate(timeout=10)


def test_lab_logs_what_it_sent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "served.jsonl"
    with lab_process("--log", str(path)) as (url, process):
        run(url, "plain-ttft40-tps1000", "--requests", "1", "--json")

    results, _ = read_lines(capsys.readouterr().out)
    served = json.loads(path.read_text())
    content = [at_ns for at_ns, tokens in zip(served["sent_ns"], served["tokens"], strict=True) if tokens]
    assert process.returncode == 0
    assert served["request_id"] == results[0]["request_id"]
    assert len(content) == 40
    assert results[0]["ttft_ms"] == pytest.approx((content[0] - served["received_ns"]) / 1e6, abs=10)


def test_lab_lists_its_presets() -> None:
    with Lab() as lab, urllib.request.urlopen(f"{lab.url}/models") as response:
        models = [model["id"] for model in json.load(response)["data"]]

    assert len(models) == 40


def test_lab_says_when_its_port_is_taken(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    port = lab.url.rpartition(":")[2].removesuffix("/v1")

    assert main(["lab", "--port", port]) == 1
    assert "cannot listen" in capsys.readouterr().err


def test_help_holds_the_whole_grammar(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["lab", "--help"])

    shown = capsys.readouterr().out
    assert "ttftN" in shown
    assert "burstscoalesced" in shown
