"""Gemini's generateContent on AI Studio and Vertex."""

from __future__ import annotations

from typing import Any

import pytest

from tests.probes.exchanges import event, judge_exchange, make_endpoint, make_exchange, read_body
from tests.probes.protocols.asking import KEY, ask, prepare_request

VERTEX = "https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/publishers/google"


def partial(*parts: dict[str, Any], finish: str | int | None = None, **usage: int) -> dict[str, Any]:
    candidate = {
        "index": 0,
        "content": {"parts": list(parts)},
        **({"finishReason": finish} if finish else {}),
    }
    return {"candidates": [candidate], "modelVersion": "tall-7b", "usageMetadata": usage}


def test_gemini_asks_ai_studio_by_header_key() -> None:
    request, body = prepare_request("gemini", "https://google.test", question=ask(system="Be brief."))

    assert request.url == "https://google.test/v1beta/models/tall-7b:streamGenerateContent?alt=sse"
    assert request.headers["x-goog-api-key"] == KEY
    assert body["generationConfig"] == {"maxOutputTokens": 64, "temperature": 0.0}
    assert body["systemInstruction"] == {"parts": [{"text": "Be brief."}]}


def test_gemini_asks_vertex_by_bearer_token() -> None:
    request, _ = prepare_request("gemini", VERTEX)

    assert request.url == f"{VERTEX}/models/tall-7b:streamGenerateContent?alt=sse"
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_gemini_adds_thoughts_to_the_candidates() -> None:
    body = (
        event(partial({"text": "hm", "thought": True}, promptTokenCount=9))
        + event(partial({"text": "The "}, promptTokenCount=9, candidatesTokenCount=1, thoughtsTokenCount=20))
        + event(partial({"text": "moon"}, {"functionCall": {"name": "f", "args": {"a": 1}}}, finish="STOP",
                        promptTokenCount=9, candidatesTokenCount=6, thoughtsTokenCount=20, cachedContentTokenCount=2))
    )  # fmt: skip

    said = read_body("gemini", body)

    assert (said.answer, said.reasoning, said.other) == ("The moon", "hm", 'f{"a": 1}')
    assert (said.content_deltas, said.reasoning_deltas, said.tool_call_deltas) == (2, 1, 1)
    assert (said.finish_reason, said.served_model) == ("STOP", "tall-7b")
    assert said.usage is not None
    assert (said.usage.output_tokens, said.usage.reasoning_tokens, said.usage.cached_input_tokens) == (
        26,
        20,
        2,
    )
    assert [arrival.generated_tokens for arrival in said.arrivals] == [None, 21, 26]


def test_gemini_hidden_thoughts_arrive_with_the_first_event() -> None:
    chunks = [
        (900.0, event(partial({"text": "Seven"}, promptTokenCount=9, thoughtsTokenCount=190))),
        (950.0, event(partial({"text": " days"}, promptTokenCount=9, thoughtsTokenCount=190, candidatesTokenCount=3))),
        (1000.0, event(partial({"text": " make a week"}, finish="STOP", thoughtsTokenCount=190,
                               candidatesTokenCount=6))),
    ]  # fmt: skip

    result = judge_exchange(make_exchange(chunks), endpoint=make_endpoint("gemini"))

    assert (result.first_chunk_tokens, result.output_tokens, result.output_speed_tps) == (191, 196, 50.0)
    assert "hidden_reasoning" in result.flags


def test_gemini_thoughts_that_ate_the_budget_are_all_the_output() -> None:
    told = read_body("gemini", event(partial(finish=2, promptTokenCount=5, thoughtsTokenCount=4))).usage

    assert told is not None
    assert told.output_tokens == 4


@pytest.mark.parametrize(
    "document",
    [
        partial(finish="SAFETY"),
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}},
    ],
)
def test_gemini_filter_is_told_apart(document: dict[str, Any]) -> None:
    result = judge_exchange(make_exchange([(50.0, event(document))]), endpoint=make_endpoint("gemini"))

    assert (result.outcome, result.fault) == ("blocked", "provider")


def test_gemini_other_candidates_and_code_are_no_output() -> None:
    document = partial({"executableCode": {"code": "x"}}, {"text": ""})
    document["candidates"].append({"index": 1, "content": {"parts": [{"text": "not ours"}]}})

    assert read_body("gemini", event(document)).arrivals == []
