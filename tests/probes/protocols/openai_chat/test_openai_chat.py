"""OpenAI chat completions: asking, Azure's address, and the accents of other servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from probes.endpoint import Capabilities
from tests.probes.exchanges import chat_delta, event, judge_exchange, make_exchange, read_body
from tests.probes.protocols.asking import KEY, ask, prepare_request

STREAM = (Path(__file__).parent / "stream.sse").read_text()


def test_openai_chat_asks_for_a_stream_with_usage() -> None:
    request, body = prepare_request("openai-chat", "https://api.test/v1/", question=ask(system="Be brief."))

    assert request.url == "https://api.test/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept"] == "text/event-stream"
    assert body == {
        "model": "tall-7b",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Tell me of tides."},
        ],
        "stream": True,
        "max_tokens": 64,
        "temperature": 0.0,
        "stream_options": {"include_usage": True},
    }


def test_openai_chat_asks_only_for_what_is_accepted() -> None:
    capabilities = Capabilities(
        stream_options=False, output_limit_field="max_completion_tokens", temperature=False
    )

    _, body = prepare_request("openai-chat", "https://api.test/v1", capabilities=capabilities)

    assert set(body) == {"model", "messages", "stream", "max_completion_tokens"}


def test_openai_chat_asks_engines_for_usage_in_every_event() -> None:
    _, body = prepare_request(
        "openai-chat", "http://vllm.test/v1", capabilities=Capabilities(continuous_usage=True)
    )

    assert body["stream_options"] == {"include_usage": True, "continuous_usage_stats": True}


def test_openai_chat_pins_a_routers_provider() -> None:
    _, body = prepare_request("openai-chat", "https://router.test/api/v1", pinned_provider="acme")

    assert body["provider"] == {"order": ["acme"], "allow_fallbacks": False}


@pytest.mark.parametrize(
    ("base", "url"),
    [
        (
            "https://x.openai.azure.com/openai",
            "https://x.openai.azure.com/openai/deployments/tall-7b/chat/completions?api-version=2024-10-21",
        ),
        (
            "https://x.openai.azure.com/openai/deployments/mine?api-version=2025-01-01",
            "https://x.openai.azure.com/openai/deployments/mine/chat/completions?api-version=2025-01-01",
        ),
        ("https://x.openai.azure.com/openai/v1", "https://x.openai.azure.com/openai/v1/chat/completions"),
        (
            "https://x.services.ai.azure.com/models",
            "https://x.services.ai.azure.com/models/chat/completions?api-version=2024-10-21",
        ),
    ],
)
def test_openai_chat_finds_azures_address_and_header(base: str, url: str) -> None:
    request, _ = prepare_request("openai-chat", base)

    assert request.url == url
    assert request.headers["api-key"] == KEY
    assert "authorization" not in request.headers


def test_openai_chat_reads_every_accent() -> None:
    said = read_body("openai-chat", STREAM)

    assert (said.answer, said.reasoning) == ("The moon.", "Tides pull.")
    assert (said.content_deltas, said.reasoning_deltas, said.tool_call_deltas) == (3, 2, 1)
    assert (said.events, said.first_output_event, said.first_content_event) == (10, 2, 5)
    assert (said.finish_reason, said.is_last_seen, said.error) == ("stop", True, None)
    assert (said.served_model, said.served_provider) == ("acme/tall-7b", "Acme Cloud")
    assert said.usage is not None
    assert (said.usage.input_tokens, said.usage.output_tokens) == (9, 7)
    assert (said.usage.reasoning_tokens, said.usage.cached_input_tokens) == (3, 2)
    assert said.server_timing == {"x_groq": {"queue_time": 0.25}, "timings": {"predicted_ms": 80.5}}


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content", "reasoning_text", "thinking"])
def test_openai_chat_reads_reasoning_under_any_name(name: str) -> None:
    assert read_body("openai-chat", chat_delta("", **{name: "hm"})).reasoning == "hm"


@pytest.mark.parametrize(
    ("usage", "output", "reasoning"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 2, "total_tokens": 354}, 342, 340),
        ({"prompt_tokens": 12, "completion_tokens": 350, "total_tokens": 362}, 350, 340),
        ({"prompt_tokens": 12, "completion_tokens": 2}, 342, 340),
        ({"prompt_tokens": 12, "completion_tokens": 350}, 350, 340),
    ],
)
def test_openai_chat_counts_reasoning_once_wherever_it_stands(
    usage: dict[str, int], output: int, reasoning: int
) -> None:
    details = {"completion_tokens_details": {"reasoning_tokens": 340}}

    told = read_body("openai-chat", event({"choices": [], "usage": {**usage, **details}})).usage

    assert told is not None
    assert (told.output_tokens, told.reasoning_tokens) == (output, reasoning)


def test_openai_chat_reads_usage_inside_a_choice() -> None:
    chunk = {"choices": [{"index": 0, "delta": {}, "usage": {"completion_tokens": 5, "cached_tokens": 1}}]}

    told = read_body("openai-chat", event(chunk)).usage

    assert told is not None
    assert (told.output_tokens, told.cached_input_tokens) == (5, 1)


@pytest.mark.parametrize(
    "document",
    [
        {"error": "plain words"},
        {"error": {"message": "plain words", "code": 500}},
        {"object": "error", "message": "plain words", "code": 400},
        {"choices": [], "x_groq": {"error": "plain words"}},
        {
            "error": {"message": "plain words"},
            "choices": [{"index": 0, "delta": {}, "finish_reason": "error"}],
        },
    ],
)
def test_openai_chat_finds_errors_of_any_shape(document: object) -> None:
    error = read_body("openai-chat", event(document)).error

    assert error is not None
    assert error.message == "plain words"


def test_openai_chat_refusal_is_output_but_no_answer_text() -> None:
    said = read_body("openai-chat", chat_delta(None, refusal="I cannot"))

    assert (said.answer, said.other, said.content_deltas) == ("", "I cannot", 0)


def test_openai_chat_reads_tgis_own_events() -> None:
    body = (
        event({"index": 1, "token": {"text": "Old", "special": False}, "generated_text": None, "details": None})
        + event(
            {
                "index": 2,
                "token": {"text": "</s>", "special": True},
                "generated_text": "Old",
                "details": {"finish_reason": "eos_token", "generated_tokens": 2},
            }
        )
    )  # fmt: skip

    said = read_body("tgi", body)

    assert (said.answer, said.content_deltas, said.finish_reason) == ("Old", 1, "eos_token")
    assert said.usage is not None
    assert said.usage.output_tokens == 2


def test_openai_chat_reads_a_whole_answer() -> None:
    body = (
        '{"model":"tall-7b","choices":[{"index":0,"message":{"content":"All","reasoning_content":"hm",'
        '"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"length"}],'
        '"usage":{"prompt_tokens":3,"completion_tokens":4},"time_info":{"total_time":0.5}}'
    )

    said = read_body("openai-chat", body)

    assert (said.answer, said.reasoning, said.other, said.finish_reason) == ("All", "hm", "f{}", "length")
    assert said.is_whole_answer
    assert said.server_timing == {"time_info": {"total_time": 0.5}}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"finish_reason": "error", "error": {"message": "upstream died", "code": 502}}, "upstream died"),
        ({"finish_reason": "error"}, "the answer ended with the finish reason error"),
    ],
)
def test_chat_answer_that_ended_by_an_error_is_no_answer(choice: dict[str, object], message: str) -> None:
    ending = event({"choices": [{"index": 0, "delta": {"content": ""}, **choice}]})

    result = judge_exchange(make_exchange([(30.0, chat_delta("Hi") + ending)]))

    assert (result.outcome, result.detail, result.message) == ("stream_broken", "server", message)


def test_chat_custom_tool_and_thinking_blocks_are_output() -> None:
    said = read_body(
        "openai-chat",
        chat_delta(thinking_blocks=[{"type": "thinking", "thinking": "hm"}])
        + chat_delta(tool_calls=[{"index": 0, "type": "custom", "custom": {"name": "sh", "input": "ls"}}])
        + chat_delta(finish="tool_calls"),
    )

    assert (said.reasoning, said.other, said.tool_call_deltas, said.first_output_event) == (
        "hm",
        "shls",
        1,
        0,
    )
