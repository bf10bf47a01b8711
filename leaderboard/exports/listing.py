"""Which models and providers a filtered list shows: the catalogue's, measured or not, narrowed by its filters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.ranking.filters import DEFAULTS, Filters
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.sorting import is_known, sort_value

from .catalogue_rows import model_rows, provider_rows
from .columns import MODELS, PROVIDERS, Table

Listed = TypeVar("Listed", LanguageModel, Provider)

# Filters that only a measured row can pass.
MEASURED = ("probe_location", "workload", "freshness", "price_min", "price_max", "success_min")


def filtered_models(filters: Filters) -> Sequence[LanguageModel]:
    rows = model_rows()
    if filters.q:
        rows = rows.filter(
            Q(name__icontains=filters.q) | Q(slug__icontains=filters.q) | Q(creator__icontains=filters.q)
        )
    rows = narrowed(rows, {"slug": filters.model, "creator": filters.creator, "weights": filters.weights})
    rows = offered(rows, "model", filters)
    if (measured := measured_rows(filters)) is not None:
        rows = rows.filter(slug__in={row.model_id for row in measured})
    return in_order(rows, MODELS, filters)


def filtered_providers(filters: Filters) -> Sequence[Provider]:
    rows = provider_rows()
    if filters.q:
        rows = rows.filter(Q(name__icontains=filters.q) | Q(slug__icontains=filters.q))
    rows = narrowed(rows, {"slug": filters.provider})
    rows = offered(rows, "provider", filters)
    if (measured := measured_rows(filters)) is not None:
        rows = rows.filter(slug__in={row.provider_id for row in measured})
    return in_order(rows, PROVIDERS, filters)


def narrowed(rows: QuerySet[Listed], chosen: dict[str, tuple[str, ...]]) -> QuerySet[Listed]:
    return rows.filter(**{f"{field}__in": values for field, values in chosen.items() if values})


def offered(rows: QuerySet[Listed], side: str, filters: Filters) -> QuerySet[Listed]:
    """Those with an offering that fits the filters on offerings and on its other side."""
    chosen: dict[str, tuple[str, ...]] = {
        "hosting": filters.hosting,
        "quantization": filters.quantization,
    }
    if side == "model":
        chosen["provider__slug"] = filters.provider
    else:
        chosen |= {
            "model__slug": filters.model,
            "model__creator": filters.creator,
            "model__weights": filters.weights,
        }
    given = {f"{field}__in": values for field, values in chosen.items() if values}
    if not given:
        return rows
    return rows.filter(Exists(Offering.objects.filter(**given, **{side: OuterRef("pk")})))


def measured_rows(filters: Filters) -> Sequence[LeaderboardRow] | None:
    """The leaderboard's rows under the filters, or None where no filter asks for a measurement."""
    if all(getattr(filters, name) == DEFAULTS[name] for name in MEASURED):
        return None
    snapshot = latest_snapshot(window_hours=filters.window_hours, as_of=filters.as_of)
    return leaderboard_rows(snapshot, filters) if snapshot else []


def in_order(rows: QuerySet[Listed], table: Table, filters: Filters) -> Sequence[Listed]:
    """Sorted by a column of the table where the view is; missing last, ties by id."""
    column = next((c for c in table.columns if c.name == filters.sort_column), None)
    if column is None:
        return list(rows)
    known = [row for row in rows if is_known(column.value(row))]
    missing = [row for row in rows if not is_known(column.value(row))]
    known.sort(key=lambda row: sort_value(column.value(row)), reverse=filters.is_descending)
    return known + missing
