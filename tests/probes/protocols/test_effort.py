"""A reasoning effort is asked for in each protocol's own words, or refused before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from probes.protocols import PROTOCOLS, CannotAskError
from probes.run import run_probe_blocking
from tests.probes.exchanges import judge_exchange, make_endpoint, make_exchange
from tests.probes.network.conftest import SHORT
from tests.probes.protocols.asking import prepare_request

THINKING = {"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}
GEMINI = ("generationConfig", "thinkingConfig")
NOVA = {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}


def body_of(protocol: str, model: str, effort: str | None) -> dict[str, Any]:
    _, body = prepare_request(
        protocol, "https://api.test/v1", model=model, reasoning_effort=effort, region="eu-west-1"
    )
    return body


@pytest.mark.parametrize(
    ("protocol", "model", "asked"),
    [
        ("openai-chat", "gpt-5", {"reasoning_effort": "high"}),
        ("openai-responses", "gpt-5", {"reasoning": {"effort": "high"}}),
        ("watsonx", "openai/gpt-oss-120b", {"reasoning_effort": "high"}),
        ("anthropic-messages", "claude-opus-4-6", THINKING),
        ("bedrock-invoke", "eu.anthropic.claude-opus-4-6-v1:0", THINKING),
        ("bedrock-invoke", "openai.gpt-oss-20b-1:0", {"reasoning_effort": "high"}),
        ("bedrock-converse", "anthropic.claude-opus-4-6-v1:0", {"additionalModelRequestFields": THINKING}),
        ("bedrock-converse", "openai.gpt-oss-20b-1:0", {"additionalModelRequestFields": {"reasoning_effort": "high"}}),
        ("bedrock-converse", "us.amazon.nova-2-lite-v1:0", {"additionalModelRequestFields": NOVA}),
        ("ollama", "gpt-oss:20b", {"think": "high"}),
    ],
)  # fmt: skip
def test_effort_is_asked_for_in_the_protocols_own_words(
    protocol: str, model: str, asked: dict[str, Any]
) -> None:
    body, plain = body_of(protocol, model, "high"), body_of(protocol, model, None)

    assert {name: value for name, value in body.items() if name not in plain} == asked


@pytest.mark.parametrize(
    ("protocol", "model", "effort", "place", "asked"),
    [
        ("gemini-generate-content", "gemini-3-pro", "low", GEMINI, {"thinkingLevel": "low"}),
        ("gemini-generate-content", "gemini-2.5-pro", "high", GEMINI, {"thinkingBudget": 24_576}),
        ("gemini-generate-content", "gemini-2.5-flash", "none", GEMINI, {"thinkingBudget": 0}),
        ("gemini-interactions", "gemini-3-pro", "low", ("generation_config", "thinking_level"), "low"),
        ("replicate", "openai/gpt-5", "minimal", ("input", "reasoning_effort"), "minimal"),
        ("anthropic-messages", "claude-opus-4-6", "none", ("thinking", "type"), "disabled"),
        ("cohere-v2", "command-a-reasoning", "none", ("thinking", "type"), "disabled"),
    ],
)  # fmt: skip
def test_effort_goes_where_the_protocol_looks_for_it(
    protocol: str, model: str, effort: str, place: tuple[str, str], asked: object
) -> None:
    body = body_of(protocol, model, effort)

    assert body[place[0]][place[1]] == asked


def test_ollama_is_told_not_to_think_by_a_boolean() -> None:
    assert body_of("ollama", "qwen3:8b", "none")["think"] is False


@pytest.mark.parametrize("protocol", ["anthropic-messages", "bedrock-invoke", "bedrock-converse"])
def test_claude_that_thinks_is_sent_no_temperature(protocol: str) -> None:
    thinking = body_of(protocol, "anthropic.claude-opus-4-6", "low")
    silent = body_of(protocol, "anthropic.claude-opus-4-6", "none")

    assert "temperature" not in str(thinking)
    assert "temperature" in str(silent)


@pytest.mark.parametrize(
    ("protocol", "model"),
    [
        ("openai-completions", "davinci"),
        ("cohere-v1", "command-r"),
        ("cohere-v2", "command-a-reasoning"),
        ("writer", "palmyra-x5"),
        ("bedrock-converse", "meta.llama4-scout"),
        ("bedrock-invoke", "meta.llama4-scout"),
        ("bedrock-invoke", "amazon.nova-pro-v1:0"),
    ],
)
def test_protocol_without_words_for_an_effort_asks_nobody(protocol: str, model: str) -> None:
    with pytest.raises(CannotAskError, match="has no way to ask for the effort 'high'"):
        body_of(protocol, model, "high")


def test_unknown_effort_of_a_model_with_budgets_is_named() -> None:
    with pytest.raises(CannotAskError, match="choose one of none, minimal, low, medium, high"):
        body_of("gemini-generate-content", "gemini-2.5-pro", "max")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_effort_asks_for_nothing(protocol: str) -> None:
    body = str(body_of(protocol, "m", None))

    assert "effort" not in body
    assert "think" not in body


def test_probe_that_cannot_ask_for_the_effort_is_ours() -> None:
    endpoint = make_endpoint("writer", reasoning_effort="high")

    result = run_probe_blocking(endpoint, SHORT)

    assert (result.outcome, result.detail, result.fault) == ("ours", "cannot_ask", "ours")
    assert "no way to ask for the effort" in (result.message or "")


def test_refused_effort_is_a_capability_and_never_learnt_away() -> None:
    body = '{"error":{"message":"Unsupported parameter: reasoning_effort","type":"invalid_request_error"}}'

    result = judge_exchange(make_exchange([(30.0, body)], status=400), endpoint=make_endpoint())

    assert (result.outcome, result.detail, result.flags) == (
        "capability", "option_refused", ("refuses_reasoning_effort",),
    )  # fmt: skip
