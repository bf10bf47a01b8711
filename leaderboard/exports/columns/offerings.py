from __future__ import annotations

from operator import attrgetter

from leaderboard.catalogue.models import Offering, ProbeState, Quantization

from .column import POSITIVE, SIMULATED, Column, Reference, Table, Value, or_none

QUANTIZATION_SOURCES = ("provider_docs", "provider_api", "operator", "undisclosed")
HOSTINGS = ("serverless", "dedicated", "self_hosted")
ACCOUNT_KINDS = ("standard_paid", "free_tier", "provider_granted", "operator_owned")
PROTOCOLS = (
    "openai-chat",
    "openai-responses",
    "openai-completions",
    "anthropic-messages",
    "gemini-generate-content",
    "gemini-interactions",
    "cohere-v1",
    "cohere-v2",
    "bedrock-converse",
    "bedrock-invoke",
    "ollama",
    "replicate",
    "watsonx",
    "writer",
)


def spoken_protocol(offering: Offering) -> Value:
    return offering.protocol or offering.provider.protocol


OFFERINGS = Table(
    name="offerings",
    title="Offerings (provider/model pairs)",
    row_is="one per provider, model, region and serving variant",
    key=("offering_id",),
    references=(
        Reference(column="provider_id", table="providers", table_column="provider_id"),
        Reference(column="model_id", table="models", table_column="model_id"),
    ),
    columns=(
        Column(
            "offering_id",
            "string",
            "provider_id~model slug[~variant]; used in URLs and badges",
            required=True,
            get=attrgetter("public_id"),
        ),
        Column("provider_id", "string", "who serves it", required=True, get=attrgetter("provider.slug")),
        Column("model_id", "string", "what is served", required=True, get=attrgetter("model.slug")),
        Column("provider_model_name", "string", "the exact model string sent to the API", required=True),
        Column("variant", "string", "turbo, fast, batch, free ...", get=or_none("variant")),
        Column(
            "api_style",
            "string",
            "the API style and stream format it is probed with",
            required=True,
            one_of=PROTOCOLS,
            get=spoken_protocol,
        ),
        Column(
            "serving_region",
            "string",
            "as the provider states it; empty = not stated",
            get=or_none("serving_region"),
        ),
        Column(
            "quantization",
            "string",
            "undisclosed is a value, not an empty cell",
            required=True,
            one_of=tuple(Quantization.values),
        ),
        Column(
            "quantization_source",
            "string",
            "who says so",
            required=True,
            one_of=QUANTIZATION_SOURCES,
        ),
        Column("context_tokens", "integer", "the provider's own limit", unit="tokens", bounds=POSITIVE),
        Column(
            "max_output_tokens",
            "integer",
            "the longest answer the provider allows",
            unit="tokens",
            bounds=POSITIVE,
        ),
        Column("hosting", "string", "how the capacity behind it is sold", required=True, one_of=HOSTINGS),
        Column(
            "account_kind",
            "string",
            "whose key we use; a granted key is shown on the page",
            required=True,
            one_of=ACCOUNT_KINDS,
            get=attrgetter("provider.account_kind"),
        ),
        Column(
            "probe_state",
            "string",
            "only active ones are ranked",
            required=True,
            one_of=tuple(ProbeState.values),
        ),
        Column("first_probed_on", "date", "day of its first probe", unit="UTC day"),
        Column("last_ok_at", "datetime", "last successful sample", unit="UTC"),
        Column("retired_on", "date", "empty while listed", unit="UTC day"),
        Column("retired_reason", "string", "why it was retired", get=or_none("retired_reason")),
        Column("updated_at", "datetime", "last change of this row", unit="UTC", required=True),
        Column("simulated", "boolean", SIMULATED, required=True, get=attrgetter("provider.simulated")),
    ),
)
