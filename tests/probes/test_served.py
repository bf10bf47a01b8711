"""Whether the served model is the one that was asked for."""

from __future__ import annotations

import pytest

from probes.served import is_same_model, is_same_provider


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        ("demo-8b", "demo-8b"),
        ("Demo-8B", "demo-8b"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku-20241022"),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5-20251001"),
        ("openai/gpt-4o-mini:free", "openai/gpt-4o-mini"),
        ("meta-llama/Llama-3.3-70B", "llama-3.3-70b"),
        ("llama3", "llama3:latest"),
        ("models/gemini-2.5-flash", "gemini-2.5-flash"),
        ("gemini-2.0-flash", "gemini-2.0-flash-001"),
        ("gemini-2.5-pro", "gemini-2.5-pro-preview-05-06"),
        ("gpt-4", "gpt-4-0613"),
        ("accounts/fireworks/models/deepseek-v3", "deepseek-v3"),
    ],
)
def test_served_model_is_the_asked_one_under_its_other_names(asked: str, served: str) -> None:
    assert is_same_model(asked, served)


@pytest.mark.parametrize(
    ("asked", "served"),
    [
        ("demo-8b", "demo-8b-fp4-turbo"),
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-4o", "gpt-4o-mini-2024-07-18"),
        ("llama-3.1-70b", "llama-3.1-8b"),
        ("claude-sonnet-4-5", "claude-haiku-4-5"),
        ("gpt-4", "gpt-4o"),
        ("gpt-4", "gpt-4.1"),
        ("claude-sonnet-4", "claude-sonnet-4-5-20250929"),
        ("qwen3-32b", "qwen3-235b"),
    ],
)
def test_served_model_is_another_one(asked: str, served: str) -> None:
    assert not is_same_model(asked, served)


def test_served_model_may_be_a_registered_alias() -> None:
    assert is_same_model("demo", "vendor/other-name", aliases=["other-name"])


def test_served_provider_is_compared_by_its_letters() -> None:
    assert is_same_provider("amazon-bedrock", "Amazon Bedrock")
    assert is_same_provider("deepinfra/fp8", "DeepInfra")
    assert not is_same_provider("together", "Fireworks")
