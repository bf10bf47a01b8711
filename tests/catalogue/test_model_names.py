from __future__ import annotations

import re

import pytest

from leaderboard.catalogue.model_names import creators, identify, is_chat_name
from leaderboard.catalogue.models import MODEL_SLUG


@pytest.mark.parametrize(
    "name",
    [
        "gpt-oss-120b",
        "openai/gpt-oss-120b",
        "accounts/fireworks/models/gpt-oss-120b",
        "@cf/openai/gpt-oss-120b",
        "workers-ai/@cf/openai/gpt-oss-120b",
        "openai.gpt-oss-120b-1:0",
        "openai.gpt-oss-120b",
        "openai-gpt-oss-120b",
        "databricks-gpt-oss-120b",
        "gpt-oss:120b",
        "hf:openai/gpt-oss-120b",
        "openai/gpt-oss-120b-maas",
        "openai/gpt-oss-120b-turbo",
        "openai/gpt-oss-120b:free",
        "TEE/gpt-oss-120b",
    ],
)
def test_forty_spellings_are_one_model(name: str) -> None:
    identity = identify(name)

    assert identity is not None
    assert (identity.slug, identity.creator, identity.weights) == ("openai/gpt-oss-120b", "OpenAI", "open")


@pytest.mark.parametrize(
    ("name", "slug", "variant", "quantization"),
    [
        ("openai/gpt-oss-120b:free", "openai/gpt-oss-120b", "free", ""),
        ("TEE/gpt-oss-120b", "openai/gpt-oss-120b", "tee", ""),
        ("meta-llama/Meta-Llama-3.3-70B-Instruct-Turbo", "meta/llama-3.3-70b-instruct", "turbo", ""),
        ("llama-v3p3-70b-instruct", "meta/llama-3.3-70b-instruct", "", ""),
        ("Meta-Llama-3_3-70B-Instruct", "meta/llama-3.3-70b-instruct", "", ""),
        ("llama-3.3-70b-versatile", "meta/llama-3.3-70b-instruct", "", ""),
        ("us.meta.llama3-3-70b-instruct-v1:0", "meta/llama-3.3-70b-instruct", "", ""),
        ("Qwen/Qwen3-235B-A22B-fp8-tput", "qwen/qwen3-235b-a22b-fp8-tput", "", ""),
        ("Qwen/Qwen3-14B-FP8", "qwen/qwen3-14b", "", "fp8"),
        ("nvidia/GLM-5.3-Flash-NVFP4", "zai/glm-5.3-flash", "", "fp4"),
        ("zai-org/GLM-5.2-Fast", "zai/glm-5.2", "fast", ""),
        ("glm-5-turbo", "zai/glm-5-turbo", "", ""),
        ("claude-3-5-sonnet-20241022", "anthropic/claude-3.5-sonnet", "20241022", ""),
        ("claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5", "20250929", ""),
        ("claude-sonnet-4-0", "anthropic/claude-sonnet-4", "", ""),
        ("duo-chat-haiku-4-5", "anthropic/claude-haiku-4.5", "", ""),
        ("global.anthropic.claude-sonnet-5-v1:0", "anthropic/claude-sonnet-5", "", ""),
        ("gpt-4o-2024-08-06", "openai/gpt-4o", "20240806", ""),
        ("grok-4-fast", "xai/grok-4-fast", "", ""),
        ("deepseek-ai/DeepSeek-R1-0528", "deepseek/deepseek-r1-0528", "", ""),
        ("moonshotai/Kimi-K2-Instruct-0905", "moonshotai/kimi-k2-0905", "", ""),
        ("nousresearch/hermes-4-405b", "nousresearch/hermes-4-405b", "", ""),
        ("some-maker/their-model", "some-maker/their-model", "", ""),
    ],
)
def test_what_belongs_to_the_offering_leaves_the_name(
    name: str, slug: str, variant: str, quantization: str
) -> None:
    identity = identify(name)

    assert identity is not None
    assert (identity.slug, identity.variant, identity.quantization) == (slug, variant, quantization)


def test_region_of_a_name_is_the_offerings() -> None:
    identity = identify("eu.anthropic.claude-sonnet-4-5-20250929-v1:0")

    assert identity is not None
    assert (identity.slug, identity.region) == ("anthropic/claude-sonnet-4.5", "eu")


def test_reasoning_effort_is_part_of_the_model() -> None:
    high, medium = identify("openai/o3-mini-high"), identify("mistral-medium")

    assert high is not None
    assert medium is not None
    assert (high.slug, high.reasoning_effort) == ("openai/o3-mini-high", "high")
    assert (medium.slug, medium.reasoning_effort) == ("mistral/mistral-medium", "")


def test_name_without_a_maker_has_no_identity_unless_the_seller_is_one() -> None:
    assert identify("big-pickle") is None
    assert identify("") is None
    own = identify("fugu", seller_is_maker="sakana")
    assert own is not None
    assert (own.slug, own.creator) == ("sakana/fugu", "Sakana")


@pytest.mark.parametrize(
    "name",
    ["text-embedding-3-large", "whisper-large-v3", "gpt-4o-audio-preview", "bge-m3", "llama-guard-3-8b"],
)
def test_what_does_not_answer_in_text_is_told_by_its_name(name: str) -> None:
    assert not is_chat_name(name)


def test_every_creator_has_a_slug_the_database_takes() -> None:
    slugs = [creator.slug for creator in creators()]

    assert len(slugs) == len(set(slugs))
    assert all(re.fullmatch(MODEL_SLUG, f"{slug}/x") for slug in slugs)
