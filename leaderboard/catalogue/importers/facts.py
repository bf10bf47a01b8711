"""What sellers say of a model or an offering → rows, new or completed. Only what is unknown is filled."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from typing import TypeVar

from leaderboard.catalogue.importers.quotes import Quote
from leaderboard.catalogue.model_names import ModelIdentity
from leaderboard.catalogue.models import LanguageModel, Offering, Provider

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Placed:
    """A quote whose seller and model are known."""

    quote: Quote
    provider: Provider
    identity: ModelIdentity


FILLABLE = (
    "context_tokens",
    "released_on",
    "weights_url",
    "modality_in",
    "modality_out",
    "reasoning",
    "weights",
)


def new_model(slug: str, quotes: list[Placed]) -> LanguageModel:
    """With all that its sellers say of it."""
    identity = quotes[0].identity
    model = LanguageModel(
        slug=slug,
        name=display_name(slug, quotes),
        creator=identity.creator,
        weights=identity.weights,
        reasoning_effort=identity.reasoning_effort,
        reasoning=is_reasoning_name(slug),
    )
    fill_facts(model, quotes)
    return model


def display_name(slug: str, quotes: list[Placed]) -> str:
    """The maker's own, else what most sellers call it, without what belongs to one seller's offering."""
    plain = [q for q in quotes if not q.identity.variant and not q.identity.quantization] or quotes
    own = [q for q in plain if q.provider.kind == Provider.Kind.FIRST_PARTY] or plain
    names = Counter(q.quote.display_name.strip() for q in own if q.quote.display_name.strip())
    chosen = names.most_common(1)[0][0] if names else slug.partition("/")[2]
    return chosen.rpartition("/")[2].removesuffix(" (free)").removesuffix(" (latest)")[:200] or slug


REASONING_MARKS = (
    "-thinking",
    "-reasoning",
    "-r1",
    "/o1",
    "/o3",
    "/o4",
    "qwq",
    "reasoner",
    "gpt-oss",
    "magistral",
)


def is_reasoning_name(slug: str) -> bool:
    return any(mark in slug for mark in REASONING_MARKS) and "non-reasoning" not in slug


def fill_facts(model: LanguageModel, quotes: list[Placed]) -> bool:
    """Fill what is unknown of a model from what most sellers say; whether anything changed."""
    facts = [q.quote.facts for q in quotes]
    before = [getattr(model, name) for name in FILLABLE]
    if model.context_tokens is None:
        model.context_tokens = most_common([f.context_tokens for f in facts if f.context_tokens])
    if model.released_on is None:
        model.released_on = min((f.released_on for f in facts if f.released_on), default=None)
    model.weights_url = model.weights_url or next((f.weights_url for f in facts if f.weights_url), "")
    model.modality_in = model.modality_in or list(
        most_common([f.modality_in for f in facts if f.modality_in]) or ()
    )
    model.modality_out = model.modality_out or list(
        most_common([f.modality_out for f in facts if f.modality_out]) or ()
    )
    if not model.reasoning:
        model.reasoning = bool(most_common([f.reasoning for f in facts if f.reasoning is not None]))
    if model.weights_url:
        model.weights = "open"
    return before != [getattr(model, name) for name in FILLABLE]


def most_common(values: list[T]) -> T | None:
    return Counter(values).most_common(1)[0][0] if values else None


def new_offering(found: Placed, model: LanguageModel, variant: str, now: dt.datetime) -> Offering:
    """Listed with its price, and not probed before an operator says so."""
    identity, facts = found.identity, found.quote.facts
    retired = found.quote.is_retired
    return Offering(
        provider=found.provider,
        model=model,
        variant=variant,
        provider_model_name=found.quote.model[:200],
        serving_region=identity.region,
        quantization=identity.quantization or "undisclosed",
        quantization_source="provider_api" if identity.quantization else "undisclosed",
        context_tokens=facts.context_tokens,
        max_output_tokens=facts.max_output_tokens,
        workloads=["medium"],
        probe_state="retired" if retired else "draft",
        retired_on=now.date() if retired else None,
        retired_reason="The catalogue lists it as withdrawn." if retired else "",
    )


def improve_name(offering: Offering, found: Placed, source: str) -> bool:
    """Take exact API names and limits from a catalogue that has them, while nobody has probed under another."""
    before = (offering.provider_model_name, offering.context_tokens, offering.max_output_tokens)
    if source == "models-dev" and offering.probe_state == "draft" and offering.first_probed_on is None:
        offering.provider_model_name = found.quote.model[:200]
    offering.context_tokens = offering.context_tokens or found.quote.facts.context_tokens
    offering.max_output_tokens = offering.max_output_tokens or found.quote.facts.max_output_tokens
    return before != (offering.provider_model_name, offering.context_tokens, offering.max_output_tokens)
