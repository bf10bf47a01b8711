"""genai-prices: the data inside the installed package, or a data.json of its repository. USD per million tokens."""

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

SOURCE = "genai-prices"
ADDRESS = "https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/data.json"
PROVIDER_FIELDS = frozenset(
    [
        "id",
        "name",
        "api_pattern",
        "pricing_urls",
        "description",
        "price_comments",
        "model_match",
        "provider_match",
        "extractors",
        "fallback_model_providers",
        "tiers",
        "models",
    ]
)
MODEL_FIELDS = frozenset(
    [
        "id",
        "match",
        "name",
        "description",
        "context_window",
        "price_comments",
        "deprecated",
        "prices",
        "price_variants",
        "prices_checked",
        "price_discrepancies",
    ]
)
RATE_FIELDS = {
    "input_mtok": "input_usd_per_mtok",
    "output_mtok": "output_usd_per_mtok",
    "cache_read_mtok": "cache_read_usd_per_mtok",
    "cache_write_mtok": "cache_write_usd_per_mtok",
    "output_reasoning_mtok": "reasoning_usd_per_mtok",
    "requests_kcount": "request_usd",
}
PASSED_OVER = frozenset(
    [
        "cache_write_1h_mtok",
        "web_searches_kcount",
        "input_audio_mtok",
        "output_audio_mtok",
        "cache_audio_read_mtok",
        "audio_hours",
        "input_audio_hours",
        "output_image_mtok",
        "input_image_mtok",
        "cache_image_read_mtok",
        "input_video_mtok",
        "output_video_mtok",
        "input_mchars",
        "input_document_kpages",
        "input_annotated_document_kpages",
        "storage_searches_kcount",
        "output_citation_mtok",
        "input_text_messages_kcount",
        "file_searches_kcount",
        "output_images_kcount",
        "cache_video_read_mtok",
        "tool_use_kcount",
        "output_mchars",
        "output_audio_hours",
        "cache_text_read_mtok",
        "input_text_mtok",
        "output_text_mtok",
    ]
)
"""Prices of other things than text tokens: known, counted and not kept."""


def read(data: bytes | None = None, *, stamp: str = "") -> Reading:
    """The quotes of a file, or of the installed package where there is none. Raises BadCatalogue.

    `stamp` stands for the hash of what was read where there are no bytes.
    """
    providers = package_providers() if data is None else file_providers(data)
    return read_providers(providers, sha256=stamp if data is None else hashlib.sha256(data).hexdigest())


def file_providers(data: bytes) -> list[Mapping[str, Any]]:
    try:
        document = json.loads(data, parse_float=Decimal)
    except ValueError:
        raise BadCatalogue("genai-prices: this is not JSON. Give the data.json of its repository.") from None
    if not isinstance(document, list) or not all(isinstance(p, dict) and "models" in p for p in document):
        raise BadCatalogue("genai-prices: expected a list of providers with their models.")
    return document


def package_providers() -> list[Mapping[str, Any]]:
    from genai_prices.data import providers

    return [plain(provider) for provider in providers]


def plain(value: Any) -> Any:
    """The package's objects in the shape of its JSON; matching rules are left as they are, unread."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, str | int | float | Decimal | bool | dt.date | dt.time | type(None) | dict):
        return value
    return {
        name: plain(inner) if name not in ("match", "model_match", "provider_match", "extractors") else None
        for name, inner in vars(value).items()
        if inner is not None and not name.startswith("_")
    }


def read_providers(providers: list[Mapping[str, Any]], *, sha256: str) -> Reading:
    quotes: list[Quote] = []
    left_out: list[LeftOut] = []
    refused: list[LeftOut] = []
    notes: Counter[str] = Counter()
    for provider in providers:
        name = str(provider["id"])
        for model in provider["models"]:
            try:
                refuse_unknown(provider, PROVIDER_FIELDS, f"provider {name}")
                if not is_chat_name(model["id"]):
                    left_out.append(LeftOut(name, model["id"], "does not answer in text"))
                else:
                    quotes.append(read_model(provider, model, notes))
            except (RefusedEntry, BadAmount) as problem:
                refused.append(LeftOut(name, model["id"], str(problem)))
    return Reading(
        source=SOURCE,
        quotes=tuple(quotes),
        left_out=tuple(left_out),
        refused=tuple(refused),
        notes=notes,
        sha256=sha256,
    )


def read_model(provider: Mapping[str, Any], model: Mapping[str, Any], notes: Counter[str]) -> Quote:
    refuse_unknown(model, MODEL_FIELDS, f"model {model['id']}")
    if model.get("price_variants"):
        notes["price variants of other processing, not listed"] += 1
    urls = provider.get("pricing_urls") or [""]
    return Quote(
        provider=str(provider["id"]),
        model=str(model["id"]),
        display_name=str(model.get("name") or ""),
        price_lists=tuple(read_price_lists(model["prices"], notes)),
        facts=ModelFacts(context_tokens=read_token_count(model.get("context_window"))),
        source_url=str(urls[0]),
        is_retired=bool(model.get("deprecated")),
    )


def read_price_lists(prices: Any, notes: Counter[str]) -> Iterator[PriceList]:
    """A plain price, or a list of them of which later ones with a date replace the former from that day."""
    if isinstance(prices, Mapping):
        yield PriceList(None, tuple(read_lines(prices, "", notes)))
        return
    start: dt.datetime | None = None
    lines: list[PriceLine] = []
    for conditional in prices:
        constraint = conditional.get("constraint") or {}
        refuse_unknown(constraint, ("start_date", "start_time", "end_time"), "a price's constraint")
        if "start_date" in constraint:
            if lines:
                yield PriceList(start, tuple(lines))
            start, lines = start_of_day(constraint["start_date"]), []
        lines.extend(read_lines(conditional["prices"], hours(constraint), notes))
    yield PriceList(start, tuple(lines))


def start_of_day(written: Any) -> dt.datetime:
    day = written if isinstance(written, dt.date) else dt.date.fromisoformat(written)
    return dt.datetime.combine(day, dt.time(), dt.UTC)


def hours(constraint: Mapping[str, Any]) -> str:
    if "start_time" not in constraint:
        return ""
    times = [constraint["start_time"], constraint["end_time"]]
    return "-".join(
        (time if isinstance(time, dt.time) else dt.time.fromisoformat(time)).strftime("%H:%M")
        for time in times
    )


def read_lines(prices: Mapping[str, Any], hours_utc: str, notes: Counter[str]) -> Iterator[PriceLine]:
    """One line flat, and one more for each prompt length above which anything costs another price."""
    refuse_unknown(prices, RATE_FIELDS.keys() | PASSED_OVER, "prices")
    notes.update(f"{name}, not kept" for name in prices if name in PASSED_OVER)
    kept = {RATE_FIELDS[name]: price for name, price in prices.items() if name in RATE_FIELDS}
    starts = {
        int(tier["start"]) for price in kept.values() if isinstance(price, Mapping) for tier in price["tiers"]
    }
    for above in (None, *sorted(starts)):
        rates = {field: amount_at(price, above) for field, price in kept.items()}
        per_thousand = rates.get("request_usd")
        rates["request_usd"] = None if per_thousand is None else per_thousand / 1000
        yield PriceLine(rates=Rates(**rates), context_above_tokens=above, hours_utc=hours_utc)


def amount_at(price: Any, above: int | None) -> Decimal | None:
    if not isinstance(price, Mapping):
        return read_amount(price)
    amount = price["base"]
    for tier in sorted(price["tiers"], key=lambda tier: tier["start"]):
        if above is not None and tier["start"] <= above:
            amount = tier["price"]
    return read_amount(amount)
