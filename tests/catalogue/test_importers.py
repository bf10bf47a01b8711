"""Bytes → quotes, per source; and nothing that is said gets lost in silence."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest

from leaderboard.catalogue.importers import genai_prices, litellm, models_dev, openrouter
from leaderboard.catalogue.importers.quotes import BadCatalogue, PriceLine, Reading
from leaderboard.catalogue.importers.sources import SOURCES
from leaderboard.catalogue.pricing import Rates


def rates(line: PriceLine) -> tuple[Decimal | None, Decimal | None]:
    return line.rates.input_usd_per_mtok, line.rates.output_usd_per_mtok


def genai(prices: object, **fields: object) -> Reading:
    model = {"id": "gpt-oss-120b", "match": {"equals": "gpt-oss-120b"}, "prices": prices} | fields
    provider = {"id": "groq", "name": "Groq", "api_pattern": "groq", "models": [model]}
    return genai_prices.read(json.dumps([provider]).encode())


def test_genai_prices_reads_tiers_as_lines_of_whole_prices() -> None:
    reading = genai({"input_mtok": {"base": 3, "tiers": [{"start": 200000, "price": 6}]}, "output_mtok": 15})

    base, above = reading.quotes[0].price_lists[0].lines
    assert (base.context_above_tokens, rates(base)) == (None, (Decimal(3), Decimal(15)))
    assert (above.context_above_tokens, rates(above)) == (200_000, (Decimal(6), Decimal(15)))


def test_genai_prices_reads_history_and_hours() -> None:
    day = {"constraint": {"start_time": "00:30:00Z", "end_time": "16:30:00Z"}, "prices": {"input_mtok": 0.3}}
    reading = genai(
        [
            {"prices": {"input_mtok": 1}},
            {"constraint": {"start_date": "2026-03-13"}, "prices": {"input_mtok": 0.5}},
            day,
        ]
    )

    first, second = reading.quotes[0].price_lists
    assert (first.valid_from, first.lines[0].rates.input_usd_per_mtok) == (None, Decimal(1))
    assert second.valid_from == dt.datetime(2026, 3, 13, tzinfo=dt.UTC)
    assert [(line.hours_utc, line.rates.input_usd_per_mtok) for line in second.lines] == [
        ("", Decimal("0.5")),
        ("00:30-16:30", Decimal("0.3")),
    ]


def test_genai_prices_prices_a_request_and_counts_what_it_passes_over() -> None:
    reading = genai({"input_mtok": 1, "output_mtok": 1, "requests_kcount": 5, "input_audio_mtok": 9})

    assert reading.quotes[0].price_lists[0].lines[0].rates.request_usd == Decimal("0.005")
    assert reading.notes == {"input_audio_mtok, not kept": 1}


@pytest.mark.parametrize(
    ("reading", "reason"),
    [
        (genai({"input_mtok": 1, "mood_mtok": 1}), "unknown field 'mood_mtok' in prices"),
        (genai({"input_mtok": 1}, mood="good"), "unknown field 'mood' in model gpt-oss-120b"),
        (
            genai({"input_mtok": "0,15"}),
            "'0,15' is not a number. Write it with a point and no thousands sign, as 1234.50.",
        ),
    ],
)
def test_entry_that_cannot_be_read_for_sure_is_refused_and_listed(reading: Reading, reason: str) -> None:
    assert reading.quotes == ()
    assert [(entry.provider, entry.model, entry.reason) for entry in reading.refused] == [
        ("groq", "gpt-oss-120b", reason)
    ]


def test_installed_package_and_a_file_are_read_alike() -> None:
    reading = genai_prices.read()

    assert len(reading.quotes) > 1200
    assert reading.refused == ()
    line = (
        next(q for q in reading.quotes if (q.provider, q.model) == ("openai", "gpt-4o"))
        .price_lists[0]
        .lines[0]
    )
    assert rates(line) == (Decimal("2.5"), Decimal("10"))


MODELS_DEV_MODEL = {
    "name": "GPT OSS 120B",
    "release_date": "2025-08-05",
    "last_updated": "2025-08-05",
    "open_weights": True,
    "reasoning": True,
    "tool_call": True,
    "limit": {"context": 131072, "output": 32768},
    "modalities": {"input": ["text"], "output": ["text"]},
    "cost": {"input": 0.15, "output": 0.6, "cache_read": 0.075},
}


def dev(provider: str = "groq", **fields: object) -> Reading:
    models = {"openai/gpt-oss-120b": MODELS_DEV_MODEL | fields}
    document = {provider: {"name": "Groq", "npm": "x", "doc": "https://groq.com", "models": models}}
    return models_dev.read(json.dumps(document).encode())


def test_models_dev_reads_facts_and_rates() -> None:
    quote = dev().quotes[0]

    assert quote.facts.context_tokens == 131_072
    assert (quote.facts.is_open, quote.facts.reasoning) == (True, True)
    assert quote.facts.released_on == dt.date(2025, 8, 5)
    assert quote.price_lists[0].lines[0].rates == Rates(
        input_usd_per_mtok=Decimal("0.15"),
        output_usd_per_mtok=Decimal("0.6"),
        cache_read_usd_per_mtok=Decimal("0.075"),
    )


def test_models_dev_reads_tiers() -> None:
    tiers = [{"tier": {"size": 200000}, "input": 10.0, "output": 37.5}]

    lines = dev(cost={"input": 5, "output": 25, "tiers": tiers}).quotes[0].price_lists[0].lines

    assert [(line.context_above_tokens, *rates(line)) for line in lines] == [
        (None, Decimal(5), Decimal(25)),
        (200_000, Decimal(10), Decimal("37.5")),
    ]


def test_models_dev_leaves_subscriptions_and_silent_models_out() -> None:
    assert [entry.reason for entry in dev("zai-coding-plan").left_out] == [
        "a subscription, not sold by the token"
    ]
    image = dev(modalities={"input": ["text"], "output": ["image"]})
    assert [entry.reason for entry in image.left_out] == ["does not answer in text"]
    assert [entry.reason for entry in dev(mood=1).refused] == [
        "unknown field 'mood' in model openai/gpt-oss-120b"
    ]


def lite(**fields: object) -> Reading:
    entry = {
        "litellm_provider": "groq",
        "mode": "chat",
        "input_cost_per_token": 1.5e-07,
        "output_cost_per_token": 6e-07,
    } | fields
    return litellm.read(
        json.dumps({"sample_spec": {"mode": "one of"}, "groq/openai/gpt-oss-120b": entry}).encode()
    )


def test_litellm_reads_per_token_prices_and_tiers() -> None:
    reading = lite(input_cost_per_token_above_200k_tokens=3e-07, output_cost_per_token_batches=3e-07)

    quote = reading.quotes[0]
    assert quote.model == "openai/gpt-oss-120b"
    assert [(line.context_above_tokens, *rates(line)) for line in quote.price_lists[0].lines] == [
        (None, Decimal("0.15"), Decimal("0.6")),
        (200_000, Decimal("0.3"), Decimal("0.6")),
    ]
    assert reading.notes == {"output_cost_per_token_batches, not kept": 1}


def test_litellm_refuses_a_field_it_was_not_taught() -> None:
    assert [entry.reason for entry in lite(mood_cost_per_token=1).refused] == [
        "unknown field 'mood_cost_per_token'"
    ]


def route(pricing: dict[str, str]) -> Reading:
    model = {
        "id": "openai/gpt-oss-120b",
        "name": "OpenAI: gpt-oss-120b",
        "created": 1754414231,
        "context_length": 131072,
        "architecture": {"input_modalities": ["text"], "output_modalities": ["text"]},
        "pricing": pricing,
        "hugging_face_id": "openai/gpt-oss-120b",
    }
    return openrouter.read(json.dumps({"data": [model]}).encode())


def test_openrouter_reads_text_prices_per_token() -> None:
    quote = route({"prompt": "0.00000015", "completion": "0.0000006", "web_search": "0.01"}).quotes[0]

    assert rates(quote.price_lists[0].lines[0]) == (Decimal("0.15"), Decimal("0.6"))
    assert quote.display_name == "gpt-oss-120b"
    assert quote.facts.weights_url == "https://huggingface.co/openai/gpt-oss-120b"


def test_openrouter_price_that_varies_is_unknown_and_not_free() -> None:
    reading = route({"prompt": "-1", "completion": "-1"})

    assert rates(reading.quotes[0].price_lists[0].lines[0]) == (None, None)
    assert reading.notes == {"prices that vary by route, so unknown": 1}
    assert len(route({"prompt": "0.1", "mood": "1"}).refused) == 1


@pytest.mark.parametrize("source", sorted(SOURCES))
@pytest.mark.parametrize("data", [b"", b"<html>", b"[1]", b'{"a": 1}', b'{"data": {}}', b"\xff\xfe"])
def test_what_is_not_that_catalogue_is_refused_whole(source: str, data: bytes) -> None:
    with pytest.raises(BadCatalogue, match=source):
        SOURCES[source].read(data)
