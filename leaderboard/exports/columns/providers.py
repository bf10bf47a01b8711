from __future__ import annotations

from operator import attrgetter

from leaderboard.catalogue.models import PROVIDER_SLUG, Provider

from .column import NOT_NEGATIVE, SIMULATED, Column, Table, joined, or_none

PROVIDERS = Table(
    name="providers",
    title="Providers",
    row_is="one per organisation or private operator that serves models",
    key=("provider_id",),
    columns=(
        Column(
            "provider_id",
            "string",
            "stable slug; never reused, never renamed (renames go to aliases)",
            required=True,
            pattern=PROVIDER_SLUG,
            get=attrgetter("slug"),
        ),
        Column("name", "string", "name shown on the site, never empty", required=True),
        Column(
            "kind", "string", "what sort of server it is", required=True, one_of=tuple(Provider.Kind.values)
        ),
        Column("homepage_url", "string", "the provider's own home page", get=or_none("homepage_url")),
        Column("pricing_url", "string", "page the prices were read from", get=or_none("pricing_url")),
        Column("status_url", "string", "provider's own status page", get=or_none("status_url")),
        Column(
            "headquarters_country",
            "string",
            "country of its head office",
            unit="ISO 3166-1 alpha-2",
            pattern="^[A-Z]{2}$",
            get=or_none("headquarters_country"),
        ),
        Column(
            "models_served",
            "integer",
            "active offerings on the snapshot day",
            unit="count",
            required=True,
            bounds=NOT_NEGATIVE,
        ),
        Column("first_seen_on", "date", "day it was first listed here", unit="UTC day", required=True),
        Column("retired_on", "date", "empty while active", unit="UTC day"),
        Column("aliases", "string", "former slugs and names", unit="; separated", get=joined("aliases")),
        Column("updated_at", "datetime", "last change of this row", unit="UTC", required=True),
        Column("simulated", "boolean", SIMULATED, required=True),
    ),
)
