"""Ollama's own API."""

from __future__ import annotations

from probes.exchange import Ending
from tests.probes.exchanges import judge_exchange, make_endpoint, make_exchange, read_body
from tests.probes.protocols.asking import prepare_request

NDJSON = {"content-type": "application/x-ndjson"}
CHAT = (
    '{"model":"tall:7b","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}\n'
    '{"model":"tall:7b","message":{"role":"assistant","content":"The moon"},"done":false}\n'
    '{"model":"tall:7b","message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}\n'
    '{"model":"tall:7b","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",'
    '"total_duration":325000000,"prompt_eval_count":8,"eval_count":5,"eval_duration":120000000}\n'
)


def test_ollama_asks_its_chat() -> None:
    request, body = prepare_request("ollama", "http://127.0.0.1:11434", api_key=None)

    assert request.url == "http://127.0.0.1:11434/api/chat"
    assert body["options"] == {"num_predict": 64, "temperature": 0.0}
    assert body["stream"] is True


def test_ollama_reads_chat_lines() -> None:
    said = read_body("ollama", CHAT, headers=NDJSON)

    assert (said.answer, said.reasoning, said.other) == ("The moon", "hm", "f{}")
    assert (said.events, said.first_output_event, said.first_content_event) == (4, 0, 1)
    assert (said.finish_reason, said.is_last_seen, said.is_whole_answer) == ("stop", True, False)
    assert said.usage is not None
    assert (said.usage.input_tokens, said.usage.output_tokens) == (8, 5)
    assert said.server_timing == {"ollama_ns": {"total_duration": 325000000, "eval_duration": 120000000}}


def test_ollama_reads_generate_lines() -> None:
    body = '{"response":"The ","done":false}\n{"response":"moon","done":false}\n{"response":"","done":true}'

    said = read_body("ollama", body, headers=NDJSON)

    assert (said.answer, said.content_deltas, said.is_last_seen, said.usage) == ("The moon", 2, True, None)


def test_ollama_error_line_is_an_error() -> None:
    error = read_body("ollama", '{"error":"model not found"}\n', headers=NDJSON).error

    assert error is not None
    assert error.message == "model not found"


def test_ollama_one_whole_answer_is_no_stream() -> None:
    line = '{"model":"tall-7b","message":{"content":"All"},"done":true,"eval_count":1}'
    endpoint = make_endpoint("ollama")

    whole = judge_exchange(
        make_exchange([(50.0, line)], headers={"content-type": "application/json; charset=utf-8"}),
        endpoint=endpoint,
    )
    stream = judge_exchange(make_exchange([(50.0, line + "\n")], headers=NDJSON), endpoint=endpoint)

    assert (whole.outcome, whole.detail) == ("capability", "not_streamed")
    assert stream.outcome == "ok"


def test_ollama_cut_off_line_breaks_the_stream() -> None:
    exchange = make_exchange([(50.0, CHAT[:150])], ending=Ending.CLOSED, headers=NDJSON)

    result = judge_exchange(exchange, endpoint=make_endpoint("ollama"))

    assert (result.outcome, result.detail) == ("stream_broken", "protocol")
