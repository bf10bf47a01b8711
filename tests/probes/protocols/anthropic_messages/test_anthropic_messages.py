"""Anthropic's Messages API."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.probes.exchanges import event, judge_exchange, make_endpoint, make_exchange, read_body
from tests.probes.protocols.asking import KEY, ask, prepare_request

STREAM = (Path(__file__).parent / "stream.sse").read_text()


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://api.test", "https://api.test/v1/messages"),
        ("https://api.test/v1/", "https://api.test/v1/messages"),
        ("https://api.test/anthropic", "https://api.test/anthropic/v1/messages"),
    ],
)
def test_anthropic_messages_asks_with_its_own_key_header(base: str, url: str) -> None:
    request, body = prepare_request("anthropic", base, question=ask(system="Be brief."))

    assert request.url == url
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert (body["system"], body["max_tokens"], body["stream"]) == ("Be brief.", 64, True)


def test_anthropic_messages_reads_blocks() -> None:
    said = read_body("anthropic", STREAM)

    assert (said.answer, said.reasoning, said.other) == ("The moon.", "Tides pull.", "look{}")
    assert (said.content_deltas, said.reasoning_deltas, said.tool_call_deltas) == (1, 1, 1)
    assert (said.events, said.first_output_event, said.first_content_event) == (11, 3, 5)
    assert (said.finish_reason, said.is_last_seen, said.served_model) == ("tool_use", True, "tall-7b")
    assert said.usage is not None
    assert (said.usage.input_tokens, said.usage.cached_input_tokens, said.usage.output_tokens) == (25, 10, 15)
    assert said.usage.input_excludes_cache


def test_anthropic_messages_tool_without_arguments_is_output() -> None:
    start = {
        "type": "content_block_start",
        "content_block": {"type": "tool_use", "name": "look", "input": {}},
    }
    body = event(start) + event({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})

    result = judge_exchange(make_exchange([(50.0, body)]), endpoint=make_endpoint("anthropic"))

    assert (result.outcome, result.ttft_ms, result.tool_call_deltas) == ("ok", 50.0, 0)


def test_anthropic_messages_redacted_thinking_hides_reasoning() -> None:
    body = event({"type": "content_block_start", "content_block": {"type": "redacted_thinking", "data": "x"}})

    said = read_body("anthropic", body)

    assert said.has_hidden_reasoning
    assert said.arrivals == []


def test_anthropic_messages_error_event_names_its_class() -> None:
    body = (
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    )

    error = read_body("anthropic", body).error

    assert error is not None
    assert (error.kind, error.message) == ("overloaded_error", "Overloaded")


def test_anthropic_messages_reads_the_old_completions() -> None:
    body = event({"type": "completion", "completion": " Hi", "stop_reason": None, "model": "old"}) + event(
        {"type": "completion", "completion": "", "stop_reason": "stop_sequence", "model": "old"}
    )

    said = read_body("anthropic", body)

    assert (said.answer, said.content_deltas, said.finish_reason) == (" Hi", 1, "stop_sequence")


def test_anthropic_messages_reads_a_whole_answer() -> None:
    body = (
        '{"type":"message","model":"tall-7b","content":[{"type":"thinking","thinking":"hm"},'
        '{"type":"text","text":"All"},{"type":"tool_use","name":"f","input":{}}],"stop_reason":"end_turn",'
        '"usage":{"input_tokens":3,"output_tokens":4}}'
    )

    said = read_body("anthropic", body)

    assert (said.answer, said.reasoning, said.other, said.finish_reason) == ("All", "hm", "f", "end_turn")
    assert said.usage is not None
    assert said.usage.output_tokens == 4


@pytest.mark.parametrize(("thinking", "is_hidden"), [("", True), ("hm", False)])
def test_signature_without_thinking_tells_that_it_was_left_out(thinking: str, is_hidden: bool) -> None:
    deltas = [
        {"type": "thinking_delta", "thinking": thinking},
        {"type": "signature_delta", "signature": "c2ln"},
    ]
    frames = [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]

    said = read_body("anthropic-messages", "".join(map(event, frames)))

    assert (said.has_hidden_reasoning, said.reasoning) == (is_hidden, thinking)
