from __future__ import annotations

from operator import attrgetter

from .column import (
    NOT_NEGATIVE,
    OFFERING_REFERENCE,
    POSITIVE,
    SIMULATED,
    Column,
    Table,
    or_none,
)

PER_MTOK = "USD per 1e6 tokens"

PRICES = Table(
    name="prices",
    title="Price history",
    row_is="one per change (a step function: a row holds until the next one)",
    key=("offering_id", "valid_from", "context_above_tokens", "hours_utc", "weekdays"),
    references=(OFFERING_REFERENCE,),
    columns=(
        Column(
            "offering_id",
            "string",
            "what the price is for",
            required=True,
            get=attrgetter("offering.public_id"),
        ),
        Column(
            "valid_from", "datetime", "first moment the price is known to hold", unit="UTC", required=True
        ),
        Column("valid_to", "datetime", "empty = still valid", unit="UTC", get=attrgetter("ends_at")),
        Column(
            "input_usd_per_mtok",
            "number",
            "empty = unknown; 0 = free. The two are never mixed",
            unit=PER_MTOK,
            bounds=NOT_NEGATIVE,
        ),
        Column(
            "output_usd_per_mtok",
            "number",
            "price of generated tokens; empty = unknown, 0 = free",
            unit=PER_MTOK,
            bounds=NOT_NEGATIVE,
        ),
        Column(
            "cache_read_usd_per_mtok",
            "number",
            "price of input read from the prompt cache",
            unit=PER_MTOK,
            bounds=NOT_NEGATIVE,
        ),
        Column(
            "cache_write_usd_per_mtok",
            "number",
            "price of input written to the prompt cache",
            unit=PER_MTOK,
            bounds=NOT_NEGATIVE,
        ),
        Column(
            "reasoning_usd_per_mtok",
            "number",
            "empty = billed as output",
            unit=PER_MTOK,
            bounds=NOT_NEGATIVE,
        ),
        Column(
            "request_usd",
            "number",
            "charged for each request beside its tokens",
            unit="USD per request",
            bounds=NOT_NEGATIVE,
        ),
        Column(
            "context_above_tokens",
            "integer",
            "tier starts above this prompt length; empty = flat",
            unit="tokens",
            bounds=NOT_NEGATIVE,
        ),
        Column("hours_utc", "string", "empty = all day", unit="HH:MM-HH:MM", get=or_none("hours_utc")),
        Column("weekdays", "string", "empty = every day", unit="Mon;Tue …", get=or_none("weekdays")),
        Column(
            "currency_original",
            "string",
            "currency the provider charges in",
            unit="ISO 4217",
            required=True,
            pattern="^[A-Z]{3}$",
        ),
        Column("fx_rate_to_usd", "number", "rate used when not USD", unit="USD per unit", bounds=POSITIVE),
        Column(
            "source",
            "string",
            "where the price was read",
            required=True,
            one_of=("provider_page", "provider_api", "operator", "third_party"),
        ),
        Column("source_url", "string", "the page or file it was read from", get=or_none("source_url")),
        Column(
            "verified_at",
            "datetime",
            "last time a person or a job saw this price; shown as 'checked N days ago'",
            unit="UTC",
            required=True,
        ),
        Column("entered_by", "string", "role only, no names", required=True, one_of=("job", "admin")),
        Column("note", "string", "what a reader should know about it", get=or_none("note")),
        Column(
            "simulated", "boolean", SIMULATED, required=True, get=attrgetter("offering.provider.simulated")
        ),
    ),
)
