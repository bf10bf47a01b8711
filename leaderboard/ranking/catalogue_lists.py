"""Which models and providers a filtered list shows: the catalogue's, measured or not, narrowed by its filters.

The page and the file of a list both ask here, so that they hold the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.ranking.filters import DEFAULTS, Filters
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows
from leaderboard.ranking.rows import LeaderboardRow

Listed = TypeVar("Listed", LanguageModel, Provider)

# Filters that only a measured row can pass.
MEASURED = ("probe_location", "workload", "freshness", "price_min", "price_max", "success_min")


def narrowed_models(rows: QuerySet[LanguageModel], filters: Filters) -> QuerySet[LanguageModel]:
    if filters.q:
        rows = rows.filter(
            Q(name__icontains=filters.q) | Q(slug__icontains=filters.q) | Q(creator__icontains=filters.q)
        )
    rows = narrowed(rows, {"slug": filters.model, "creator": filters.creator, "weights": filters.weights})
    rows = offered(rows, "model", filters)
    if (measured := measured_rows(filters)) is not None:
        rows = rows.filter(slug__in={row.model_id for row in measured})
    return rows


def narrowed_providers(rows: QuerySet[Provider], filters: Filters) -> QuerySet[Provider]:
    if filters.q:
        rows = rows.filter(Q(name__icontains=filters.q) | Q(slug__icontains=filters.q))
    rows = narrowed(rows, {"slug": filters.provider})
    rows = offered(rows, "provider", filters)
    if (measured := measured_rows(filters)) is not None:
        rows = rows.filter(slug__in={row.provider_id for row in measured})
    return rows


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
