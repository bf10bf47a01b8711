"""providers.csv, models.csv, offerings.csv and prices.csv into the catalogue.

Rows are found by their public id and brought to what the file says. Prices are only ever appended. Addresses and keys
are in no published file, so what was loaded is shown and ranked but never probed until an operator completes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.db import transaction

from leaderboard.catalogue.models import LanguageModel, Offering, Price, Provider
from leaderboard.exports.columns import MODELS, OFFERINGS, PRICES, PROVIDERS, Table

from .cells import LoadProblem, Row, read_rows

NOT_PROBED = "Loaded from published files, which hold no address and no key."
FILES = (PROVIDERS, MODELS, OFFERINGS, PRICES)


def load_catalogue(folder: Path, *, only_new: bool = False) -> dict[str, int]:
    """All or nothing; the number of rows read of each table. Tables that are not there are left alone.

    With `only_new` what this board knows already stays as it is, its prices and timetable included.
    """
    with transaction.atomic():
        known = known_keys() if only_new else {}
        counts = {table.name: load_table(folder, table, known.get(table.name, set())) for table in FILES}
        set_intervals(folder, known.get(OFFERINGS.name, set()))
    return counts


def load_table(folder: Path, table: Table, known: set[str]) -> int:
    """Rows of `known` subjects are read and left out."""
    path = folder / f"{table.name}.csv"
    if not path.exists():
        return 0
    rows = list(read_rows(path, table))
    LOADERS[table.name]([row for row in rows if str(row[table.key[0]]) not in known])
    return len(rows)


def known_keys() -> dict[str, set[str]]:
    """What is in the catalogue, by table and the first part of its key."""
    offerings = set(Offering.objects.values_list("public_id", flat=True))
    return {
        PROVIDERS.name: set(Provider.objects.values_list("slug", flat=True)),
        MODELS.name: set(LanguageModel.objects.values_list("slug", flat=True)),
        OFFERINGS.name: offerings,
        PRICES.name: offerings,
    }


def load_providers(rows: Iterable[Row]) -> None:
    for row in rows:
        values = texts(
            row, "name", "kind", "homepage_url", "pricing_url", "status_url", "headquarters_country"
        )
        values |= {
            "aliases": parts(row["aliases"]),
            "first_seen_on": row["first_seen_on"],
            "retired_on": row["retired_on"],
            "simulated": row["simulated"],
        }
        Provider.objects.update_or_create(
            slug=row["provider_id"],
            defaults=values,
            create_defaults=values | {"slug": row["provider_id"], "paused_reason": NOT_PROBED},
        )


def load_models(rows: Iterable[Row]) -> None:
    rows = list(rows)
    for row in rows:
        values = texts(row, "name", "creator", "weights", "license", "reasoning_effort", "weights_url")
        values |= {
            name: row[name]
            for name in (
                "params_total",
                "params_active",
                "context_tokens",
                "reasoning",
                "released_on",
                "retired_on",
            )
        }
        values |= {"modality_in": parts(row["modality_in"]), "modality_out": parts(row["modality_out"])}
        LanguageModel.objects.update_or_create(slug=row["model_id"], defaults=values)
    known = dict(LanguageModel.objects.values_list("slug", "pk"))
    for row in rows:
        LanguageModel.objects.filter(slug=row["model_id"]).update(
            superseded_by=known.get(str(row["superseded_by"]))
        )


def load_offerings(rows: Iterable[Row]) -> None:
    providers = {provider.slug: provider for provider in Provider.objects.all()}
    models = {model.slug: model for model in LanguageModel.objects.all()}
    for row in rows:
        provider, model = providers.get(str(row["provider_id"])), models.get(str(row["model_id"]))
        if provider is None or model is None:
            raise LoadProblem(
                f"offerings.csv: {row['offering_id']} names a provider or model that is not in the catalogue."
            )
        adopt_account_kind(provider, str(row["account_kind"]))
        values = texts(
            row,
            *("provider_model_name", "variant", "serving_region", "quantization", "quantization_source"),
            *("hosting", "probe_state", "retired_reason"),
        )
        values |= {
            name: row[name]
            for name in (
                "context_tokens",
                "max_output_tokens",
                "first_probed_on",
                "last_ok_at",
                "retired_on",
            )
        }
        values |= {
            "provider": provider,
            "model": model,
            "protocol": "" if row["api_style"] == provider.protocol else row["api_style"],
        }
        Offering.objects.update_or_create(public_id=row["offering_id"], defaults=values)


def adopt_account_kind(provider: Provider, account_kind: str) -> None:
    """Published with each offering, stored with their provider."""
    if provider.account_kind != account_kind:
        provider.account_kind = account_kind
        provider.save(update_fields=["account_kind", "updated_at"])


NOT_OF_THE_PRICE = ("offering_id", "simulated")


def load_prices(rows: Iterable[Row]) -> None:
    offerings = dict(Offering.objects.values_list("public_id", "pk"))
    prices = []
    for row in rows:
        pk = offerings.get(str(row["offering_id"]))
        if pk is None:
            raise LoadProblem(f"prices.csv: {row['offering_id']} is not in the catalogue.")
        values: dict[str, Any] = {k: v for k, v in row.items() if k not in NOT_OF_THE_PRICE}
        values |= texts(row, "hours_utc", "weekdays", "source_url", "note")
        prices.append(Price(offering_id=pk, **values))
    Price.objects.bulk_create(prices, ignore_conflicts=True)


LOADERS = {
    PROVIDERS.name: load_providers,
    MODELS.name: load_models,
    OFFERINGS.name: load_offerings,
    PRICES.name: load_prices,
}


def set_intervals(folder: Path, known: set[str]) -> None:
    """The schedule is no column; latest.json says it where the folder has one."""
    try:
        document = json.loads((folder / "latest.json").read_text())
    except (OSError, ValueError):
        return
    for offering_id, seconds in document.get("intervals_s", {}).items():
        if offering_id not in known:
            Offering.objects.filter(public_id=offering_id).update(interval_s=seconds)


def texts(row: Row, *names: str) -> dict[str, Any]:
    """Text that is stored empty where unknown."""
    return {name: row[name] or "" for name in names}


def parts(value: object) -> list[str]:
    return str(value).split(";") if value else []
