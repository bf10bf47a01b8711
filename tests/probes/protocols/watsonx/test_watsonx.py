"""watsonx.ai: text generation and chat."""

from __future__ import annotations

from tests.probes.exchanges import event, judge_exchange, make_endpoint, make_exchange, read_body
from tests.probes.protocols.asking import KEY, prepare_request


def result(text: str, count: int, stop: str = "not_finished", inputs: int = 0) -> str:
    piece = {
        "generated_text": text,
        "generated_token_count": count,
        "input_token_count": inputs,
        "stop_reason": stop,
    }
    return event({"model_id": "tall-7b", "results": [piece]})


def test_watsonx_asks_with_its_project_in_the_body() -> None:
    request, body = prepare_request("watsonx", "https://watsonx.test?project_id=p-1")

    assert request.url == "https://watsonx.test/ml/v1/text/chat_stream?version=2024-10-08"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert (body["model_id"], body["project_id"], body["max_tokens"]) == ("tall-7b", "p-1", 64)


def test_watsonx_reads_results_with_cumulative_counts() -> None:
    chunks = [
        (100.0, result("", 0, inputs=8)),
        (200.0, result("the", 2)),
        (300.0, result(" sun", 12)),
        (400.0, result("", 13, stop="EOS_TOKEN")),
    ]

    judged = judge_exchange(make_exchange(chunks), endpoint=make_endpoint("watsonx"))

    assert (judged.outcome, judged.finish_reason) == ("ok", "eos_token")
    assert (judged.input_tokens, judged.output_tokens, judged.first_chunk_tokens) == (8, 13, 2)
    assert judged.output_speed_tps == 110.0


def test_watsonx_reads_chat_chunks() -> None:
    chunk = {
        "model_id": "tall-7b",
        "choices": [{"index": 0, "delta": {"content": "sun"}, "finish_reason": "stop"}],
    }

    said = read_body("watsonx", event(chunk))

    assert (said.answer, said.finish_reason) == ("sun", "stop")


def test_watsonx_errors_are_a_list() -> None:
    error = read_body("watsonx", event({"errors": [{"code": "model_not_supported", "message": "no"}]})).error

    assert error is not None
    assert (error.code, error.message) == ("model_not_supported", "no")
