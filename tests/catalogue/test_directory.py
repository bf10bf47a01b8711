from __future__ import annotations

import re
from unittest.mock import patch

import pytest

from leaderboard.catalogue import directory
from leaderboard.catalogue.addresses import tidy_base_url
from leaderboard.catalogue.directory import FACTS, DirectoryEntry, load_directory, read_directory, read_entry
from leaderboard.catalogue.models import PROVIDER_SLUG, Provider
from probes.protocols import PROTOCOLS

# fmt: off
ASKED_FOR = [
    "openai", "anthropic", "google-ai-studio", "google-vertex", "azure", "amazon-bedrock", "mistral",
    "cohere", "xai", "deepseek", "alibaba", "groq", "cerebras", "sambanova", "together", "fireworks",
    "deepinfra", "novita", "nebius", "baseten", "clarifai", "compactifai", "parasail", "siliconflow",
    "venice", "atlascloud", "streamlake", "perplexity", "openrouter", "huggingface", "inception",
    "morph", "relace", "zai", "minimax", "moonshot", "stepfun", "nvidia", "cloudflare", "hyperbolic",
    "lambda", "vultr",
]
# fmt: on


def test_directory_lists_the_market() -> None:
    slugs = [entry.slug for entry in read_directory()]

    assert len(slugs) == len(set(slugs)) >= 70
    assert set(ASKED_FOR) <= set(slugs)


@pytest.mark.parametrize("entry", read_directory(), ids=lambda entry: entry.slug)
def test_entry_holds_facts_in_their_forms(entry: DirectoryEntry) -> None:
    facts = entry.facts

    assert re.fullmatch(PROVIDER_SLUG, entry.slug)
    assert facts["name"]
    assert facts["kind"] in Provider.Kind.values
    assert facts["protocol"] in PROTOCOLS
    assert re.fullmatch(r"[A-Z][A-Z0-9_]+", facts["api_key_env"])
    assert re.fullmatch(r"[A-Z]{2}|", facts["headquarters_country"])
    if facts["base_url"]:
        assert tidy_base_url(facts["base_url"], may_be_private=False) == facts["base_url"]
    for link in ("homepage_url", "pricing_url", "status_url"):
        assert facts[link] == "" or facts[link].startswith("https://")


def test_no_two_entries_claim_the_same_name_in_a_source() -> None:
    claims = [
        (source, name)
        for entry in read_directory()
        for source, names in entry.sources.items()
        for name in names
    ]

    assert len(claims) == len(set(claims))


def test_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown field mood"):
        read_entry({"slug": "alfa", "name": "Alfa", "mood": "good"})


@pytest.mark.django_db
def test_loading_twice_changes_nothing_and_an_edit_stays() -> None:
    assert load_directory() == len(read_directory())
    assert load_directory() == 0
    Provider.objects.filter(slug="groq").update(pricing_url="https://example.com/prices")

    moved = [
        DirectoryEntry(
            entry.slug,
            dict(entry.facts, pricing_url="https://new.example.com", status_url="https://s.example.com"),
        )
        for entry in read_directory()
        if entry.slug == "groq"
    ]
    with patch.object(directory, "read_directory", lambda: moved):
        assert load_directory() == 1

    groq = Provider.objects.get(slug="groq")
    assert groq.pricing_url == "https://example.com/prices"
    assert groq.status_url == "https://s.example.com"


@pytest.mark.django_db
def test_provider_made_by_an_admin_is_left_alone() -> None:
    Provider.objects.create(slug="groq", name="My Groq", kind="host")

    load_directory()

    groq = Provider.objects.get(slug="groq")
    assert (groq.name, [getattr(groq, fact) for fact in FACTS if fact == "base_url"]) == ("My Groq", [""])
