"""Cohere's first chat API."""

from __future__ import annotations

from tests.probes.exchanges import judge_exchange, make_endpoint, make_exchange, read_body
from tests.probes.protocols.asking import KEY, ask, prepare_request

STREAM = (
    '{"is_finished":false,"event_type":"stream-start"}\n'
    '{"is_finished":false,"event_type":"text-generation","text":"The "}\n'
    '{"is_finished":false,"event_type":"tool-calls-chunk","text":"Plan","tool_call_delta":{"name":"f"}}\n'
    '{"is_finished":false,"event_type":"text-generation","text":"moon"}\n'
    '{"is_finished":true,"event_type":"stream-end","finish_reason":"COMPLETE","response":{"text":"The moon",'
    '"meta":{"billed_units":{"input_tokens":2,"output_tokens":3},"tokens":{"input_tokens":60,"output_tokens":4}}}}\n'
)


def test_cohere_v1_asks_with_a_message() -> None:
    request, body = prepare_request("cohere-v1", "https://cohere.test", question=ask(system="Be brief."))

    assert request.url == "https://cohere.test/v1/chat"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert (body["message"], body["preamble"]) == ("Tell me of tides.", "Be brief.")


def test_cohere_v1_reads_lines_and_not_the_repetition_at_the_end() -> None:
    said = read_body("cohere-v1", STREAM)

    assert (said.answer, said.reasoning, said.other) == ("The moon", "Plan", "f")
    assert (said.events, said.content_deltas, said.finish_reason) == (5, 2, "COMPLETE")
    assert said.usage is not None
    assert (said.usage.input_tokens, said.usage.output_tokens) == (60, 4)


def test_cohere_v1_failed_generation_is_an_error() -> None:
    body = '{"is_finished":true,"event_type":"stream-end","finish_reason":"ERROR_TOXIC"}\n'

    result = judge_exchange(make_exchange([(50.0, body)]), endpoint=make_endpoint("cohere-v1"))

    assert result.outcome == "server_error"


def test_cohere_v1_reads_whole_answers_of_both_paths() -> None:
    chat = read_body(
        "cohere-v1", '{"text":"All","finish_reason":"COMPLETE","meta":{"tokens":{"output_tokens":4}}}'
    )
    generate = read_body("cohere-v1", '{"generations":[{"text":"Old","finish_reason":"MAX_TOKENS"}]}')

    assert (chat.answer, chat.finish_reason) == ("All", "COMPLETE")
    assert (generate.answer, generate.finish_reason) == ("Old", "MAX_TOKENS")
