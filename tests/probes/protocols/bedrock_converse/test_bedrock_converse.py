"""Amazon Bedrock's Converse API."""

from __future__ import annotations

import sys

import pytest

from probes.endpoint import Endpoint
from probes.protocols import CannotAskError, prepare
from tests.probes.exchanges import judge_exchange, make_endpoint, make_exchange, read_body
from tests.probes.protocols.asking import KEY, ask, prepare_request
from tests.probes.streams.frames import pack_event, pack_frame

BASE = "https://bedrock-runtime.eu-west-1.amazonaws.com"
MODEL = "eu.acme.tall-7b-v1:0"
STREAM = b"".join(
    [
        pack_event("messageStart", {"role": "assistant", "p": "abc"}),
        pack_event("contentBlockDelta", {"delta": {"reasoningContent": {"text": "Tides pull."}}}),
        pack_event("contentBlockDelta", {"delta": {"reasoningContent": {"signature": "c2ln"}}}),
        pack_event("contentBlockDelta", {"delta": {"text": "The moon."}}),
        pack_event("contentBlockStart", {"start": {"toolUse": {"name": "look"}}}),
        pack_event("contentBlockDelta", {"delta": {"toolUse": {"input": "{}"}}}),
        pack_event("messageStop", {"stopReason": "end_turn"}),
        pack_event(
            "metadata", {"usage": {"inputTokens": 7, "outputTokens": 9}, "metrics": {"latencyMs": 440}}
        ),
    ]
)


def test_bedrock_converse_asks_with_a_bearer_key() -> None:
    request, body = prepare_request("bedrock-converse", BASE, model=MODEL, question=ask(system="Be brief."))

    assert request.url == f"{BASE}/model/eu.acme.tall-7b-v1%3A0/converse-stream"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert body["inferenceConfig"] == {"maxTokens": 64, "temperature": 0.0}
    assert body["system"] == [{"text": "Be brief."}]


def test_bedrock_converse_signs_with_access_keys() -> None:
    endpoint = Endpoint("bedrock-converse", BASE, MODEL, api_key="AKIDEXAMPLE:secret-word:session-word")

    request = prepare(endpoint, ask())

    signature = request.headers["authorization"]
    assert signature.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
    assert "/eu-west-1/bedrock/aws4_request" in signature
    assert request.headers["x-amz-security-token"] == "session-word"
    assert "secret-word" not in str(dict(request.headers)) + request.url + repr(request)


def test_bedrock_converse_needs_a_region_to_sign() -> None:
    endpoint = Endpoint("bedrock-converse", "https://proxy.test", MODEL, api_key="AKIDEXAMPLE:secret")

    with pytest.raises(CannotAskError, match="Bedrock needs a region"):
        prepare(endpoint, ask())


def test_bedrock_converse_without_the_signer_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.auth", None)

    with pytest.raises(CannotAskError, match=r"pip install 'provider-leaderboard\[bedrock\]'"):
        prepare(Endpoint("bedrock-converse", BASE, MODEL, api_key="AKIDEXAMPLE:secret"), ask())


def test_bedrock_converse_reads_frames() -> None:
    said = read_body("bedrock-converse", STREAM)

    assert (said.answer, said.reasoning, said.other) == ("The moon.", "Tides pull.", "look{}")
    assert (said.events, said.first_output_event, said.first_content_event) == (8, 1, 3)
    assert (said.tool_call_deltas, said.finish_reason) == (1, "end_turn")
    assert said.usage is not None
    assert (said.usage.input_tokens, said.usage.output_tokens) == (7, 9)
    assert said.server_timing == {"bedrock": {"latencyMs": 440}}


@pytest.mark.parametrize(
    ("exception", "outcome", "detail"),
    [
        ("throttlingException", "rate_limited", "rate_limit"),
        ("serviceUnavailableException", "server_error", "overloaded"),
        ("validationException", "bad_request", "bad_request"),
        ("accessDeniedException", "auth", "auth"),
        ("internalServerException", "server_error", "server"),
    ],
)
def test_bedrock_converse_exception_frames_name_their_class(
    exception: str, outcome: str, detail: str
) -> None:
    frame = pack_frame({"message": "no"}, message_type="exception", exception_type=exception)

    result = judge_exchange(make_exchange([(50.0, frame)]), endpoint=make_endpoint("bedrock-converse"))

    assert (result.outcome, result.detail, result.message) == (outcome, detail, "no")


def test_bedrock_converse_broken_frame_breaks_the_stream() -> None:
    broken = bytearray(STREAM)
    broken[-1] ^= 1

    result = judge_exchange(
        make_exchange([(50.0, bytes(broken))]), endpoint=make_endpoint("bedrock-converse")
    )

    assert (result.outcome, result.detail) == ("stream_broken", "protocol")


def test_bedrock_converse_reads_a_whole_answer() -> None:
    body = (
        '{"output":{"message":{"content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},{"text":"All"}]}},'
        '"stopReason":"end_turn","usage":{"inputTokens":3,"outputTokens":4,"cacheReadInputTokens":2}}'
    )

    said = read_body("bedrock-converse", body)

    assert (said.answer, said.reasoning, said.finish_reason) == ("All", "hm", "end_turn")
    assert said.usage is not None
    assert (said.usage.cached_input_tokens, said.usage.input_excludes_cache) == (2, True)
