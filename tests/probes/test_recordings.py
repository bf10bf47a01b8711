"""Every recorded provider response, where a folder of them is at hand: right values, and the same ones for any cut."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from probes.cli.replay import replay_row
from probes.reader import StreamReader
from probes.replay import replay_file
from probes.transcript import Transcript
from tests.conftest import DEFAULT_RECORDINGS

BYTE_BY_BYTE_LIMIT = 40_000
COUNTED = (
    "events", "content_deltas", "reasoning_deltas", "tool_call_deltas", "first_output_event", "first_content_event",
    "answer_chars", "answer_sha256_16", "reasoning_chars", "usage_present", "error_inside",
)  # fmt: skip
USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens_total": "output_tokens",
    "reasoning_tokens": "reasoning_tokens",
    "cached_input_tokens": "cached_input_tokens",
}
OUTCOMES = {
    "auth": "auth",
    "permission": "auth",
    "not-found": "not_found",
    "rate-limit": "rate_limited",
    "bad-request": "bad_request",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    folder = metafunc.config.getoption("--recordings") or DEFAULT_RECORDINGS
    facts = [path for path in sorted(folder.glob("*.json")) if not path.name.endswith(".body.json")]
    if "stream_facts" in metafunc.fixturenames:
        streams = [path for path in facts if ".stream." in path.name]
        metafunc.parametrize("stream_facts", streams, ids=lambda path: path.stem)
    else:
        metafunc.parametrize("facts_file", facts, ids=lambda path: path.stem)


def test_recording_has_its_right_values(facts_file: Path) -> None:
    facts = json.loads(facts_file.read_bytes())
    right = facts["right"]

    row = replay_row(replay_file(facts_file))

    expected = {name: right[name] for name in COUNTED if name in right}
    expected |= expect_usage(right) if "usage" in right else {}
    if facts["kind"] == "error":
        expected |= expect_error(facts)
    else:
        reason = right.get("finish_reason")
        expected["finish_reason"] = None if reason is None else str(reason)
    if right.get("upstream_provider"):
        expected["served_provider"] = right["upstream_provider"]
    timing: Any = row["server_timing"] or {}
    told = {name: timing.get(name) for name in right.get("server_timing") or {}}
    assert {name: row[name] for name in expected} == expected
    assert told == (right.get("server_timing") or {})


def expect_usage(right: dict[str, Any]) -> dict[str, Any]:
    """Without usage no count may pass for the provider's; with the tokenizer it is named as such."""
    usage = right["usage"]
    if usage is None:
        return {"input_tokens": None, "reasoning_tokens": None, "cached_input_tokens": None}
    return {ours: usage.get(theirs) for theirs, ours in USAGE.items()}


def expect_error(facts: dict[str, Any]) -> dict[str, Any]:
    right = facts["right"]
    return {
        "outcome": OUTCOMES[right["error_class"]],
        "http_status": facts["response"]["status"],
        "message": right["error_message"][:200],
    }


def test_recording_reads_the_same_however_it_is_cut(stream_facts: Path) -> None:
    facts = json.loads(stream_facts.read_bytes())
    body = (stream_facts.parent / facts["body"]["file"]).read_bytes()
    hostile = [offset for offset in facts.get("hostile_split_offsets") or [] if 0 < offset < len(body)]
    step = 1 if len(body) <= BYTE_BY_BYTE_LIMIT else 97

    whole = read_cut(facts, body, [])

    assert read_cut(facts, body, hostile) == whole
    assert read_cut(facts, body, sorted({*hostile, *range(step, len(body), step)})) == whole


def read_cut(facts: dict[str, Any], body: bytes, offsets: list[int]) -> Transcript:
    reader = StreamReader(facts["api_style"], facts["response"].get("headers"))
    for start, end in zip([0, *offsets], [*offsets, len(body)], strict=True):
        reader.feed(body[start:end], 0)
    return replace(reader.finish(0))
