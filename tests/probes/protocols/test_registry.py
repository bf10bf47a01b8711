"""Slugs, aliases, and what every protocol must do alike."""

from __future__ import annotations

import json

import pytest

from probes.protocols import PROTOCOLS, CannotAskError, get_protocol
from tests.probes.exchanges import judge_exchange, make_endpoint, make_exchange
from tests.probes.protocols.asking import ask, prepare_request

SLUGS = [
    "openai-chat", "openai-responses", "openai-completions", "anthropic-messages", "gemini-generate-content",
    "gemini-interactions", "cohere-v1", "cohere-v2", "bedrock-converse", "bedrock-invoke", "ollama", "replicate",
    "watsonx", "writer",
]  # fmt: skip


def test_registry_has_the_published_slugs() -> None:
    assert list(PROTOCOLS) == SLUGS
    assert all(protocol.slug == slug for slug, protocol in PROTOCOLS.items())


@pytest.mark.parametrize(
    ("alias", "slug"),
    [
        ("anthropic", "anthropic-messages"),
        ("gemini", "gemini-generate-content"),
        ("gemini-generateContent", "gemini-generate-content"),
        ("tgi", "openai-chat"),
        ("openai_chat", "openai-chat"),
        ("Bedrock_Converse", "bedrock-converse"),
    ],
)
def test_registry_takes_aliases_and_underscores(alias: str, slug: str) -> None:
    assert get_protocol(alias).slug == slug


def test_registry_refuses_an_unknown_name_with_a_sentence() -> None:
    with pytest.raises(CannotAskError, match="unknown protocol 'smoke': choose one of openai-chat, "):
        get_protocol("smoke")


@pytest.mark.parametrize("slug", SLUGS)
def test_protocol_keeps_the_key_in_headers_and_says_how_much_it_may_answer(slug: str) -> None:
    request, body = prepare_request(slug, "https://api.test/v1", region="eu-west-1")

    assert request.method == "POST"
    assert request.headers["content-type"] == "application/json"
    assert "64" in json.dumps(body)
    assert "Tell me of tides." in json.dumps(body)


@pytest.mark.parametrize("slug", SLUGS)
def test_protocol_sends_no_key_header_without_a_key(slug: str) -> None:
    request, _ = prepare_request(slug, "https://api.test/v1", api_key=None, region="eu-west-1")

    assert not {"authorization", "x-api-key", "api-key", "x-goog-api-key"} & set(request.headers)


@pytest.mark.parametrize("slug", SLUGS)
def test_protocol_leaves_the_temperature_out_where_it_is_refused(slug: str) -> None:
    _, body = prepare_request(slug, "https://api.test/v1", question=ask(temperature=None), region="eu-west-1")

    assert "temperature" not in json.dumps(body)


@pytest.mark.parametrize("slug", SLUGS)
def test_protocol_lets_the_endpoints_headers_override_its_own(slug: str) -> None:
    request, _ = prepare_request(slug, "https://api.test/v1", headers={"Accept": "x/y"}, region="eu-west-1")

    assert request.headers["accept"] == "x/y"


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ('{"error":{"message":"slow down","type":"rate_limit_error"}}', "rate_limited"),
        ('{"message":"no such thing"}', None),
    ],
)
def test_protocol_reads_an_error_object_for_what_it_is(slug: str, body: str, outcome: str | None) -> None:
    result = judge_exchange(make_exchange([(30.0, body)]), endpoint=make_endpoint(slug))

    assert result.outcome == outcome or (outcome is None and result.outcome != "ok")
