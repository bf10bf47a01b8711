"""models.dev: its api.json, or the same tree read into one JSON. USD per million tokens."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from leaderboard.catalogue.amounts import BadAmount, read_amount
from leaderboard.catalogue.importers.quotes import (
    BadCatalogue,
    LeftOut,
    ModelFacts,
    PriceLine,
    PriceList,
    Quote,
    Reading,
    RefusedEntry,
    refuse_unknown,
)
from leaderboard.catalogue.model_names import is_chat_name
from leaderboard.catalogue.names import read_token_count
from leaderboard.catalogue.pricing import Rates

SOURCE = "models-dev"
ADDRESS = "https://models.dev/api.json"
PROVIDER_FIELDS = frozenset(["id", "name", "npm", "api", "doc", "env", "models", "logo"])
MODEL_FIELDS = frozenset(
    [
        "id",
        "name",
        "family",
        "release_date",
        "last_updated",
        "open_weights",
        "reasoning",
        "tool_call",
        "cost",
        "limit",
        "modalities",
        "knowledge",
        "base_model",
        "status",
        "attachment",
        "temperature",
        "structured_output",
        "interleaved",
        "provider",
        "experimental",
        "description",
        "reasoning_options",
    ]
)
RATE_FIELDS = {
    "input": "input_usd_per_mtok",
    "output": "output_usd_per_mtok",
    "cache_read": "cache_read_usd_per_mtok",
    "cached_input": "cache_read_usd_per_mtok",
    "cache_input": "cache_read_usd_per_mtok",
    "cache_write": "cache_write_usd_per_mtok",
    "cached_write": "cache_write_usd_per_mtok",
    "reasoning": "reasoning_usd_per_mtok",
}
PASSED_OVER = frozenset(
    ["input_audio", "output_audio", "image", "citation", "request", "tiers", "context_over_200k"]
)
"""`request` has no stated unit there; audio, images and citations are no text tokens."""
SUBSCRIPTIONS = ("-coding-plan", "-token-plan", "-plan-cn", "for-coding", "opencode-go")
LOCAL = frozenset({"lmstudio", "atomic-chat"})


def read(data: bytes) -> Reading:
    """The quotes of the file. Raises BadCatalogue."""
    try:
        document = json.loads(data, parse_float=Decimal)
    except ValueError:
        raise BadCatalogue("models-dev: this is not JSON. Give its api.json.") from None
    if not isinstance(document, dict) or not all(
        isinstance(p, dict) and isinstance(p.get("models"), dict) for p in document.values()
    ):
        raise BadCatalogue("models-dev: expected providers by id, each with its models by id.")
    quotes: list[Quote] = []
    left_out: list[LeftOut] = []
    refused: list[LeftOut] = []
    notes: Counter[str] = Counter()
    for provider_id, provider in document.items():
        for model_id, model in provider["models"].items():
            reason = reason_to_leave_out(provider_id, model_id, model)
            if reason:
                left_out.append(LeftOut(provider_id, model_id, reason))
                continue
            try:
                refuse_unknown(provider, PROVIDER_FIELDS, f"provider {provider_id}")
                quotes.append(read_model(provider_id, model_id, model, notes))
            except (RefusedEntry, BadAmount) as problem:
                refused.append(LeftOut(provider_id, model_id, str(problem)))
    return Reading(
        source=SOURCE,
        quotes=tuple(quotes),
        left_out=tuple(left_out),
        refused=tuple(refused),
        notes=notes,
        sha256=hashlib.sha256(data).hexdigest(),
    )


def reason_to_leave_out(provider_id: str, model_id: str, model: Mapping[str, Any]) -> str:
    if any(mark in provider_id for mark in SUBSCRIPTIONS):
        return "a subscription, not sold by the token"
    if provider_id in LOCAL:
        return "software on one's own machine, not a seller"
    outputs = (model.get("modalities") or {}).get("output") or ["text"]
    return "" if "text" in outputs and is_chat_name(model_id) else "does not answer in text"


def read_model(provider_id: str, model_id: str, model: Mapping[str, Any], notes: Counter[str]) -> Quote:
    refuse_unknown(model, MODEL_FIELDS, f"model {model_id}")
    limit, modalities = model.get("limit") or {}, model.get("modalities") or {}
    cost = model.get("cost")
    return Quote(
        provider=provider_id,
        model=model_id,
        display_name=str(model.get("name") or ""),
        price_lists=(PriceList(None, tuple(read_lines(cost, notes))),) if cost else (),
        facts=ModelFacts(
            context_tokens=read_token_count(limit.get("context")),
            max_output_tokens=read_token_count(limit.get("output")),
            reasoning=model.get("reasoning"),
            is_open=model.get("open_weights"),
            modality_in=tuple(modalities.get("input") or ()),
            modality_out=tuple(modalities.get("output") or ()),
            released_on=read_day(model.get("release_date")),
        ),
        source_url="https://models.dev",
        is_retired=model.get("status") == "deprecated",
    )


def read_lines(cost: Mapping[str, Any], notes: Counter[str]) -> Iterator[PriceLine]:
    refuse_unknown(cost, RATE_FIELDS.keys() | PASSED_OVER, "cost")
    notes.update(f"{name}, not kept" for name in cost if name in PASSED_OVER - {"tiers", "context_over_200k"})
    yield PriceLine(rates=read_rates(cost))
    tiers = list(cost.get("tiers") or [])
    if cost.get("context_over_200k") and not tiers:
        tiers = [{"tier": {"size": 200_000}, **cost["context_over_200k"]}]
    for tier in tiers:
        refuse_unknown(tier, RATE_FIELDS.keys() | PASSED_OVER | {"tier"}, "a price tier")
        size = (tier.get("tier") or {}).get("size")
        if not isinstance(size, int):
            raise RefusedEntry("a price tier without a size")
        base = {name: cost[name] for name in ("input", "output") if name in cost}
        yield PriceLine(rates=read_rates(base | tier), context_above_tokens=size)


def read_rates(cost: Mapping[str, Any]) -> Rates:
    """The known rates; where two spellings of one are given, the first is kept."""
    rates: dict[str, Decimal | None] = {}
    for name, field in RATE_FIELDS.items():
        if rates.get(field) is None and name in cost:
            rates[field] = read_amount(cost[name])
    return Rates(**rates)


def read_day(written: object) -> dt.date | None:
    """A whole date; a month or a year alone is no day."""
    try:
        return dt.date.fromisoformat(str(written))
    except ValueError:
        return None
