"""OpenRouter's /api/v1/models: what it asks for each model through its own router. USD per token, as text."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from leaderboard.catalogue.amounts import BadAmount, read_price
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

SOURCE = "openrouter"
ADDRESS = "https://openrouter.ai/api/v1/models"
MODEL_FIELDS = frozenset(
    [
        "id",
        "canonical_slug",
        "hugging_face_id",
        "name",
        "created",
        "description",
        "context_length",
        "architecture",
        "pricing",
        "top_provider",
        "per_request_limits",
        "supported_parameters",
        "default_parameters",
        "supported_voices",
        "knowledge_cutoff",
        "expiration_date",
        "links",
    ]
)
RATES_READ = frozenset(
    ["prompt", "completion", "input_cache_read", "input_cache_write", "internal_reasoning", "request"]
)
PASSED_OVER = frozenset(
    [
        "web_search",
        "audio",
        "image",
        "image_token",
        "image_output",
        "input_audio_cache",
        "discount",
        "output_audio",
    ]
)


def read(data: bytes) -> Reading:
    """The quotes of the answer. Raises BadCatalogue."""
    try:
        document = json.loads(data)
    except ValueError:
        raise BadCatalogue("openrouter: this is not JSON. Give the answer of /api/v1/models.") from None
    if not isinstance(document, dict) or not isinstance(document.get("data"), list):
        raise BadCatalogue("openrouter: expected an object with a list of models under data.")
    quotes: list[Quote] = []
    left_out: list[LeftOut] = []
    refused: list[LeftOut] = []
    notes: Counter[str] = Counter()
    for model in document["data"]:
        name = str(model.get("id"))
        outputs = (model.get("architecture") or {}).get("output_modalities") or ["text"]
        if "text" not in outputs or not is_chat_name(name):
            left_out.append(LeftOut(SOURCE, name, "does not answer in text"))
            continue
        try:
            quotes.append(read_model(model, notes))
        except (RefusedEntry, BadAmount) as problem:
            refused.append(LeftOut(SOURCE, name, str(problem)))
    return Reading(
        source=SOURCE,
        quotes=tuple(quotes),
        left_out=tuple(left_out),
        refused=tuple(refused),
        notes=notes,
        sha256=hashlib.sha256(data).hexdigest(),
    )


def read_model(model: Mapping[str, Any], notes: Counter[str]) -> Quote:
    refuse_unknown(model, MODEL_FIELDS, f"model {model['id']}")
    pricing = model["pricing"]
    refuse_unknown(pricing, RATES_READ | PASSED_OVER, "pricing")
    notes.update(f"{name}, not kept" for name in pricing if name in PASSED_OVER)
    architecture, best = model.get("architecture") or {}, model.get("top_provider") or {}
    on_hub = model.get("hugging_face_id")
    read = read_price({"pricing": {k: v for k, v in pricing.items() if k in RATES_READ}}, unit="per_token")
    if read.rates.input_usd_per_mtok is None and read.rates.output_usd_per_mtok is None:
        notes["prices that vary by route, so unknown"] += 1
    return Quote(
        provider=SOURCE,
        model=str(model["id"]),
        display_name=str(model.get("name") or "").partition(": ")[2] or str(model.get("name") or ""),
        price_lists=(PriceList(None, (PriceLine(rates=read.rates),)),),
        facts=ModelFacts(
            context_tokens=read_token_count(model.get("context_length")),
            max_output_tokens=read_token_count(best.get("max_completion_tokens")),
            reasoning="reasoning" in (model.get("supported_parameters") or ()),
            is_open=True if on_hub else None,
            modality_in=tuple(architecture.get("input_modalities") or ()),
            modality_out=tuple(architecture.get("output_modalities") or ()),
            released_on=dt.datetime.fromtimestamp(model["created"], dt.UTC).date()
            if model.get("created")
            else None,
            weights_url=f"https://huggingface.co/{on_hub}" if on_hub else "",
        ),
        source_url=f"https://openrouter.ai/{model['id']}",
    )
