"""A provider's own list of models: how each API style is asked, and what it answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.catalogue.amounts import BadAmount, read_price
from leaderboard.catalogue.names import LONGEST_MODEL_NAME, BadName, read_token_count, tidy_name
from probes.endpoint import Endpoint
from probes.protocols.protocol import PreparedRequest, join_url, join_versioned

MOST_MODELS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """One entry of the list; None is not told."""

    name: str
    context_tokens: int | None = None
    input_usd_per_mtok: Decimal | None = None
    output_usd_per_mtok: Decimal | None = None


class NoModelList(Exception):
    """The answer holds no list of models; the text says what it was."""


def list_request(endpoint: Endpoint) -> PreparedRequest:
    """The request for the list; the key goes into a header, never into the address."""
    key, base = endpoint.api_key, endpoint.base_url
    headers = {"accept": "application/json", "accept-encoding": "identity"}
    match endpoint.protocol:
        case "anthropic-messages":
            url = join_versioned(base, "v1", "/models")
            headers |= {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})
        case "gemini-generate-content" | "gemini-interactions":
            url = join_versioned(base, "v1beta", "/models")
            headers |= {"x-goog-api-key": key} if key else {}
        case "ollama":
            url = join_versioned(base, "api", "/tags")
        case "cohere-v1" | "cohere-v2":
            url = join_versioned(base, "v1", "/models")
            headers |= {"authorization": f"Bearer {key}"} if key else {}
        case _:
            url = join_url(base, "/models")
            headers |= {"authorization": f"Bearer {key}"} if key else {}
    return PreparedRequest("GET", url, headers, b"")


def read_models(body: bytes) -> list[ListedModel]:
    """The entries of any of the styles' lists, in their order. Raises NoModelList."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise NoModelList("it is not JSON") from None
    entries = document.get("data", document.get("models")) if isinstance(document, dict) else document
    if not isinstance(entries, list):
        raise NoModelList("it holds no list")
    return list(read_entries(entries[:MOST_MODELS]))


def read_entries(entries: list[object]) -> Iterator[ListedModel]:
    seen: set[str] = set()
    for entry in entries:
        fields: Mapping[str, object] = entry if isinstance(entry, dict) else {"id": entry}
        try:
            name = tidy_name(fields.get("id") or fields.get("name"), longest=LONGEST_MODEL_NAME)
        except BadName:
            continue
        if name not in seen:
            seen.add(name)
            yield read_entry(name.removeprefix("models/"), fields)


def read_entry(name: str, fields: Mapping[str, object]) -> ListedModel:
    context = next((fields[k] for k in CONTEXT_FIELDS if fields.get(k)), None)
    pricing = fields.get("pricing")
    try:
        price = read_price({"pricing": pricing}, unit="per_token") if isinstance(pricing, dict) else None
    except BadAmount:
        price = None
    believed = price if price and not price.hold_reason else None
    return ListedModel(
        name=name,
        context_tokens=read_token_count(context),
        input_usd_per_mtok=believed.rates.input_usd_per_mtok if believed else None,
        output_usd_per_mtok=believed.rates.output_usd_per_mtok if believed else None,
    )


CONTEXT_FIELDS = (
    "context_length",
    "context_window",
    "max_model_len",
    "inputTokenLimit",
    "max_context_length",
)
