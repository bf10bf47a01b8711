"""`python -m probes replay`: its rows, its exit codes, and that it reads nothing it must not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probes.__main__ import main
from tests.probes.exchanges import DONE, chat_delta, chat_usage

CASES = Path(__file__).parents[1] / "cases"
ALWAYS = {
    "file", "events", "first_output_event", "first_content_event", "tool_call_deltas", "usage_present", "error_inside",
    "served_model", "served_provider", "reference_tokens", "thinking_ms", "request_id", "detail", "fault", "message",
    "answer_chars", "answer_sha256_16", "reasoning_chars", "content_deltas", "reasoning_deltas", "dns_ms", "tcp_ms",
    "tls_ms", "headers_ms", "event_gap_p50_ms", "event_gap_p95_ms", "answer_speed_tps", "response_time_500_ms",
    "client_lag_ms", "retry_after_s", "flags", "sample_id", "offering_id", "scheduled_at", "started_at",
    "probe_location", "workload", "concurrency", "methodology_version", "input_tokens", "cached_input_tokens",
    "output_tokens", "reasoning_tokens", "token_source", "connect_ms", "connection_reused", "ttft_ms", "ttfat_ms",
    "end_to_end_ms", "output_speed_tps", "chunks", "largest_chunk_share", "outcome", "http_status", "finish_reason",
    "cost_usd", "excluded", "exclusion_reason", "excluded_from", "workload_version", "connection_kind",
    "last_token_ms", "first_chunk_tokens", "simulated",
}  # fmt: skip


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    body = chat_delta("", role="assistant") + chat_delta("Tall") + chat_delta(" ship", finish="stop")
    (tmp_path / "acme.openai-chat.stream.01.body.sse").write_text(body + chat_usage(2) + DONE)
    facts = {
        "id": "acme.openai-chat.stream.01",
        "kind": "stream",
        "api_style": "openai-chat",
        "request": {"model": "tall-7b", "stream": True},
        "response": {"status": 200, "headers": {"content-type": "text/event-stream"}},
        "body": {"file": "acme.openai-chat.stream.01.body.sse"},
    }
    path = tmp_path / "acme.openai-chat.stream.01.json"
    path.write_text(json.dumps(facts))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, list[dict[str, Any]], str]:
    code = main(["replay", *map(str, arguments), "--json"])
    captured = capsys.readouterr()
    return code, [json.loads(line) for line in captured.out.splitlines()], captured.err


def test_replay_row_has_every_published_field(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (row,), _ = run(capsys, recording)

    assert code == 0
    assert set(row) >= ALWAYS
    assert "text" not in row
    assert row["outcome"] == "ok"
    assert (row["ttft_ms"], row["output_tokens"], row["events"]) == (20.0, 2, 4)
    assert (row["first_output_event"], row["file"]) == (1, str(recording))


def test_replay_takes_a_body_for_its_facts(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = recording.with_name("acme.openai-chat.stream.01.body.sse")

    assert run(capsys, body)[1] == run(capsys, recording)[1]


def test_replay_never_reads_what_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = CASES / "stream" / "stream-reasoning-first-3.json"
    case = json.loads(source.read_bytes())
    bare = tmp_path / "bare.json"
    hidden = ("expect", "alt", "hangs_on", "title", "family", "source", "needs")
    bare.write_text(json.dumps({name: value for name, value in case.items() if name not in hidden}))

    (with_answers,), (without,) = run(capsys, source)[1], run(capsys, bare)[1]

    assert {**with_answers, "file": None} == {**without, "file": None}
    assert without["text"] == "It is 12."


def test_replay_of_a_folder_skips_what_is_no_stream(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows, _ = run(capsys, CASES / "framing", CASES / "stream")

    assert (code, len(rows)) == (0, 62)
    assert run(capsys, CASES / "pareto")[0] == 2


def test_replay_twice_gives_the_same_lines(capsys: pytest.CaptureFixture[str]) -> None:
    path = CASES / "http" / "http-retry-after-10.json"

    assert run(capsys, path)[1] == run(capsys, path)[1]


def test_replay_refuses_what_is_missing_or_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    foreign = tmp_path / "foreign.json"
    foreign.write_text('{"chunks": [], "protocol": "smoke-signals", "request": {}}')

    assert run(capsys, tmp_path / "nothing")[0] == 2
    assert run(capsys, broken)[0] == 1
    code, rows, words = run(capsys, foreign)
    assert (code, rows) == (1, [])
    assert "unknown protocol 'smoke-signals'" in words


def test_replay_describes_a_file_in_words(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["replay", str(recording)])

    words = capsys.readouterr().out
    assert words == f"{recording}  ok  ttft 20 ms  first answer 20 ms  output 2 tokens  speed 100 tokens/s\n"
