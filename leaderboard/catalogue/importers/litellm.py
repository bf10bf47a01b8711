"""LiteLLM's price map: model_prices_and_context_window.json. USD per token."""

from __future__ import annotations

import hashlib
import json
import re
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
)
from leaderboard.catalogue.model_names import is_chat_name
from leaderboard.catalogue.names import read_token_count
from leaderboard.catalogue.pricing import MILLION, Rates

SOURCE = "litellm"
ADDRESS = "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json"
CHAT_MODES = ("chat", "responses", "completion")
RATE_FIELDS = {
    "input_cost_per_token": "input_usd_per_mtok",
    "output_cost_per_token": "output_usd_per_mtok",
    "cache_read_input_token_cost": "cache_read_usd_per_mtok",
    "cache_creation_input_token_cost": "cache_write_usd_per_mtok",
    "output_cost_per_reasoning_token": "reasoning_usd_per_mtok",
}
TIER = re.compile(rf"({'|'.join(RATE_FIELDS)})_above_(\d+)k_tokens")
READ = frozenset(
    [
        "litellm_provider",
        "mode",
        "max_input_tokens",
        "max_output_tokens",
        "max_tokens",
        "source",
        "supports_reasoning",
        "deprecation_date",
        "input_cost_per_request",
        "supported_modalities",
        "supported_output_modalities",
    ]
)
PASSED_OVER = re.compile(
    r"(input|output|cache\w*)_\w*cost\w*_(batches|priority|flex|above_1hr\w*|above_\d+k_tokens_\w+)$"
    r"|(input|output)_cost_per_(second|character|image|pixel|audio\w*|video\w*|query|session|page|request)\w*$"
    r"|supports_\w+|metadata|\w*_(audio|image|video)_\w*|search_context_\w+|file_search_\w+|code_interpreter_\w+"
    r"|vector_store_\w+|computer_use_\w+|tool_use_system_prompt_tokens|supported_(endpoints|regions|resolutions)"
    r"|max_(images|audio|video|pdf|document)\w*|rpm|tpm|rpd|output_vector_size|tiered_pricing|comment|notes"
    r"|ocr_\w+|annotation_\w+|provider_specific_entry|regional_\w+|\w*_above_\d+k_tokens(_\w+)?$|citation_\w+"
)
"""Other service tiers, other things than text tokens, and abilities: known and not kept."""


def read(data: bytes) -> Reading:
    """The quotes of the file. Raises BadCatalogue."""
    try:
        document = json.loads(data, parse_float=Decimal)
    except ValueError:
        raise BadCatalogue("litellm: this is not JSON. Give model_prices_and_context_window.json.") from None
    entries = list(document.values()) if isinstance(document, dict) else []
    if not all(isinstance(e, dict) for e in entries) or not any("litellm_provider" in e for e in entries):
        raise BadCatalogue("litellm: expected entries by model name, each with its litellm_provider.")
    quotes: list[Quote] = []
    left_out: list[LeftOut] = []
    refused: list[LeftOut] = []
    notes: Counter[str] = Counter()
    for name, entry in document.items():
        if name == "sample_spec":
            continue
        provider = str(entry.get("litellm_provider") or "")
        if entry.get("mode") not in CHAT_MODES or not is_chat_name(name):
            left_out.append(LeftOut(provider, name, "does not answer in text"))
            continue
        try:
            quotes.append(read_entry(provider, name, entry, notes))
        except (RefusedEntry, BadAmount) as problem:
            refused.append(LeftOut(provider, name, str(problem)))
    return Reading(
        source=SOURCE,
        quotes=tuple(quotes),
        left_out=tuple(left_out),
        refused=tuple(refused),
        notes=notes,
        sha256=hashlib.sha256(data).hexdigest(),
    )


def read_entry(provider: str, name: str, entry: Mapping[str, Any], notes: Counter[str]) -> Quote:
    refuse_untaught(entry, notes)
    link = str(entry.get("source") or "")
    return Quote(
        provider=provider,
        model=name_at_provider(provider, name),
        price_lists=(PriceList(None, tuple(read_lines(entry))),),
        facts=ModelFacts(
            context_tokens=read_token_count(entry.get("max_input_tokens")),
            max_output_tokens=read_token_count(entry.get("max_output_tokens")),
            reasoning=entry.get("supports_reasoning"),
        ),
        source_url=link if link.startswith("https://") and len(link) <= 500 else "",
    )


def refuse_untaught(entry: Mapping[str, Any], notes: Counter[str]) -> None:
    for name in entry:
        if name in READ or name in RATE_FIELDS or TIER.fullmatch(name):
            continue
        if not PASSED_OVER.match(name):
            raise RefusedEntry(f"unknown field {name!r}")
        notes[f"{name}, not kept"] += 1


def name_at_provider(provider: str, name: str) -> str:
    """Without LiteLLM's own routing prefix."""
    for prefix in (provider, provider.split("-")[0], "vertex_ai", "cohere_chat"):
        if prefix and name.startswith(f"{prefix}/"):
            return name.removeprefix(f"{prefix}/")
    return name


def read_lines(entry: Mapping[str, Any]) -> Iterator[PriceLine]:
    """One line flat and one for each tier; the amounts are per token. A tier that states no output keeps it."""
    flat = {field: per_mtok(entry.get(name)) for name, field in RATE_FIELDS.items()}
    flat["request_usd"] = read_amount(entry.get("input_cost_per_request"))
    yield PriceLine(rates=Rates(**flat))
    tiers: dict[int, dict[str, Decimal | None]] = {}
    for name, written in entry.items():
        found = TIER.fullmatch(name)
        if found:
            tiers.setdefault(int(found[2]) * 1000, {})[RATE_FIELDS[found[1]]] = per_mtok(written)
    for above, rates in sorted(tiers.items()):
        rates.setdefault("output_usd_per_mtok", flat["output_usd_per_mtok"])
        rates.setdefault("input_usd_per_mtok", flat["input_usd_per_mtok"])
        yield PriceLine(rates=Rates(**rates), context_above_tokens=above)


def per_mtok(written: object) -> Decimal | None:
    amount = read_amount(written)
    return None if amount is None else amount * MILLION
