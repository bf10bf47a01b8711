"""Amazon Bedrock's InvokeModel: each family's own JSON, asked and read."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.probes.exchanges import judge_exchange, make_endpoint, make_exchange, read_body
from tests.probes.protocols.asking import prepare_request
from tests.probes.streams.frames import pack_event, pack_frame

BASE = "https://bedrock-runtime.eu-west-1.amazonaws.com"
METRICS = "amazon-bedrock-invocationMetrics"


def chunk(document: object) -> bytes:
    return pack_event("chunk", {"bytes": base64.b64encode(json.dumps(document).encode()).decode()})


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ("anthropic.tall-v1:0", {"anthropic_version", "max_tokens", "messages", "temperature"}),
        ("us.amazon.nova-lite-v1:0", {"messages", "inferenceConfig"}),
        ("amazon.titan-text-express-v1", {"inputText", "textGenerationConfig"}),
        ("meta.llama3-70b-instruct-v1:0", {"prompt", "max_gen_len", "temperature"}),
        ("mistral.mistral-7b-instruct-v0:2", {"prompt", "max_tokens", "temperature"}),
        ("openai.gpt-oss-120b-1:0", {"messages", "max_tokens", "temperature"}),
    ],
)
def test_bedrock_invoke_asks_each_family_in_its_own_form(model: str, fields: set[str]) -> None:
    request, body = prepare_request("bedrock-invoke", BASE, model=model)

    assert request.url.endswith("/invoke-with-response-stream")
    assert set(body) == fields


@pytest.mark.parametrize(
    ("documents", "output_tokens", "finish"),
    [
        ([{"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1}}},
          {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "The moon"}},
          {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
          {"type": "message_stop", METRICS: {"inputTokenCount": 5, "outputTokenCount": 7}}], 9, "end_turn"),
        ([{"messageStart": {"role": "assistant"}}, {"contentBlockDelta": {"delta": {"text": "The moon"}}},
          {"messageStop": {"stopReason": "max_tokens"}},
          {"metadata": {"usage": {"inputTokens": 5, "outputTokens": 8}}, METRICS: {"outputTokenCount": 8}}],
         8, "max_tokens"),
        ([{"generation": "The moon", "prompt_token_count": 5, "generation_token_count": 6, "stop_reason": "length"}],
         6, "length"),
        ([{"outputs": [{"text": "The moon", "stop_reason": "stop"}], METRICS: {"outputTokenCount": 3}}], 3, "stop"),
        ([{"outputText": "The moon", "totalOutputTextTokenCount": 4, "inputTextTokenCount": 5,
           "completionReason": "FINISH"}], 4, "FINISH"),
        ([{"event_type": "text-generation", "text": "The moon"},
          {"event_type": "stream-end", "is_finished": True, "finish_reason": "COMPLETE",
           METRICS: {"outputTokenCount": 5}}], 5, "COMPLETE"),
        ([{"choices": [{"index": 0, "delta": {"content": "The moon"}, "finish_reason": "stop"}],
           "usage": {"completion_tokens": 2}}], 2, "stop"),
    ],
)  # fmt: skip
def test_bedrock_invoke_reads_each_family(documents: list[Any], output_tokens: int, finish: str) -> None:
    said = read_body("bedrock-invoke", b"".join(map(chunk, documents)))

    assert (said.answer, said.content_deltas, said.finish_reason) == ("The moon", 1, finish)
    assert said.usage is not None
    assert said.usage.output_tokens == output_tokens


def test_bedrock_invoke_guardrails_sentence_is_not_the_models() -> None:
    blocked = {
        "outputText": "Blocked",
        "totalOutputTextTokenCount": 3,
        "amazon-bedrock-guardrailAction": "INTERVENED",
    }

    said = read_body("bedrock-invoke", chunk(blocked))

    assert (said.usage, said.is_filtered, said.finish_reason) == (None, True, None)


@pytest.mark.parametrize("wrapped", ["***", base64.b64encode(b"{").decode()])
def test_bedrock_invoke_chunk_that_is_no_json_breaks_the_stream(wrapped: str) -> None:
    body = pack_event("chunk", {"bytes": wrapped})

    result = judge_exchange(make_exchange([(50.0, body)]), endpoint=make_endpoint("bedrock-invoke"))

    assert (result.outcome, result.detail) == ("stream_broken", "protocol")


def test_bedrock_invoke_exception_is_an_error() -> None:
    body = pack_frame({"message": "slow"}, message_type="exception", exception_type="throttlingException")

    error = read_body("bedrock-invoke", body).error

    assert error is not None
    assert error.kind == "throttlingException"


def test_bedrock_invoke_counts_may_stand_in_the_headers() -> None:
    headers = {"x-amzn-bedrock-input-token-count": "5", "x-amzn-bedrock-output-token-count": "10"}

    without = read_body(
        "bedrock-invoke", '{"outputs":[{"text":"All","stop_reason":"stop"}]}', headers=headers
    )
    own = read_body("bedrock-invoke", '{"generation":"All","generation_token_count":9}', headers=headers)

    assert without.usage is not None
    assert (without.usage.input_tokens, without.usage.output_tokens) == (5, 10)
    assert own.usage is not None
    assert own.usage.output_tokens == 9
