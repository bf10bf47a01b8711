"""Cohere's second chat API."""

from __future__ import annotations

from pathlib import Path

from tests.probes.exchanges import event, read_body
from tests.probes.protocols.asking import prepare_request

STREAM = (Path(__file__).parent / "stream.sse").read_text()


def test_cohere_v2_asks_with_messages() -> None:
    request, body = prepare_request("cohere-v2", "https://cohere.test/v2")

    assert request.url == "https://cohere.test/v2/chat"
    assert body["messages"] == [{"role": "user", "content": "Tell me of tides."}]


def test_cohere_v2_counts_the_plan_as_reasoning() -> None:
    said = read_body("cohere-v2", STREAM)

    assert (said.answer, said.reasoning, said.other) == ("The moon.", "I look. Tides pull.", "look{}")
    assert (said.content_deltas, said.reasoning_deltas, said.tool_call_deltas) == (1, 2, 1)
    assert (said.events, said.first_output_event, said.finish_reason) == (7, 1, "COMPLETE")
    assert said.usage is not None
    assert (said.usage.input_tokens, said.usage.output_tokens, said.usage.cached_input_tokens) == (90, 12, 64)


def test_cohere_v2_failed_generation_is_an_error() -> None:
    body = event({"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "gone"}})

    error = read_body("cohere-v2", body).error

    assert error is not None
    assert error.message == "gone"


def test_cohere_v2_reads_a_whole_answer() -> None:
    body = (
        '{"message":{"tool_plan":"plan ","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"All"}],'
        '"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"COMPLETE",'
        '"usage":{"billed_units":{"input_tokens":3,"output_tokens":4}}}'
    )

    said = read_body("cohere-v2", body)

    assert (said.answer, said.reasoning, said.other) == ("All", "plan hm", "f{}")
    assert said.usage is not None
    assert (said.usage.input_tokens, said.usage.output_tokens) == (3, 4)
