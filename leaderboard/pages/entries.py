"""The lists of models and providers: the catalogue's rows with what was measured of them, if anything was."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from leaderboard.catalogue.models import LanguageModel, Offering, ProbeState, Provider
from leaderboard.ranking.catalogue_lists import narrowed_models, narrowed_providers
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.groups import ModelRow, ProviderRow
from leaderboard.ranking.sorting import sorted_rows

DEFAULT_SORT = "-output_speed_tps_p50"
SOLD = ~Q(offerings__probe_state=ProbeState.RETIRED) & Q(offerings__isnull=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Figures of the shown group; None is unknown, and all of them are None for what was never measured."""

    output_speed_tps_p50: float | None = None
    slowest_tps: float | None = None
    fastest_tps: float | None = None
    ttft_ms_p50: float | None = None
    ttfat_ms_p50: float | None = None
    end_to_end_ms_p50: float | None = None
    response_time_500_ms_p50: float | None = None
    soonest_ms: float | None = None
    latest_ms: float | None = None
    blended_usd_per_mtok: Decimal | None = None
    success_rate: float | None = None
    uptime: float | None = None
    samples: int = 0
    last_ok_at: dt.datetime | None = None
    last_sample_at: dt.datetime | None = None
    is_provisional: bool = False
    simulated: bool = False
    offerings: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry(Measured):
    id: str
    name: str
    creator: str
    weights: str
    context_tokens: int | None
    released_on: dt.date | None
    retired_on: dt.date | None
    providers: int
    listed: int = 0
    frontier_speed_ttft: bool = False
    dominated_by: str | None = None

    @property
    def model_id(self) -> str:
        return self.id

    @property
    def model_name(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderEntry(Measured):
    id: str
    name: str
    kind: str
    models_served: int
    retired_on: dt.date | None
    rests: str = ""
    """Why nothing is probed just now; empty where it may be."""
    listed: int = 0
    like_for_like_speed: float | None = None
    like_for_like_ttft: float | None = None
    shared_models: int = 0

    @property
    def state(self) -> str:
        if self.retired_on:
            return "retired"
        if self.rests or self.samples:
            return self.rests or "measured"
        return f"{self.listed:,} listed, none measured" if self.listed else "nothing listed"

    @property
    def provider_id(self) -> str:
        return self.id

    @property
    def provider_name(self) -> str:
        return self.name


SHARED = (
    "output_speed_tps_p50", "slowest_tps", "fastest_tps", "ttft_ms_p50", "ttfat_ms_p50", "end_to_end_ms_p50",
    "response_time_500_ms_p50", "soonest_ms", "latest_ms", "blended_usd_per_mtok", "success_rate", "uptime",
    "samples", "last_ok_at", "last_sample_at", "is_provisional",
)  # fmt: skip
OF_MODEL = ("frontier_speed_ttft", "dominated_by")
OF_PROVIDER = ("like_for_like_speed", "like_for_like_ttft", "shared_models")


def model_entries(rows: Sequence[ModelRow], filters: Filters) -> list[ModelEntry]:
    """Every model of the view in its order; at most three queries."""
    measured = {row.model_id: row for row in rows}
    entries = [
        ModelEntry(
            id=model.slug,
            name=model.name,
            creator=model.creator,
            weights=model.weights,
            context_tokens=model.context_tokens,
            released_on=model.released_on,
            retired_on=model.retired_on,
            offerings=vars(model)["offered"],
            providers=vars(model)["providers_count"],
            listed=vars(model)["listed_count"],
            simulated=vars(model)["only_simulated"],
            **figures(measured.get(model.slug), SHARED + OF_MODEL),
        )
        for model in narrowed_models(counted_models(), filters)
    ]
    return in_order(entries, filters)


def provider_entries(rows: Sequence[ProviderRow], filters: Filters) -> list[ProviderEntry]:
    """Every provider of the view in its order; at most three queries."""
    measured = {row.provider_id: row for row in rows}
    now = timezone.now()
    entries = [
        ProviderEntry(
            id=provider.slug,
            name=provider.name,
            kind=provider.kind,
            models_served=vars(provider)["models_count"],
            offerings=vars(provider)["offered"],
            retired_on=provider.retired_on,
            rests=rests_of(provider, now),
            listed=vars(provider)["listed_count"],
            simulated=provider.simulated,
            **figures(measured.get(provider.slug), SHARED + OF_PROVIDER),
        )
        for provider in narrowed_providers(counted_providers(), filters)
    ]
    return in_order(entries, filters)


def rests_of(provider: Provider, now: dt.datetime) -> str:
    if provider.probing_forbidden:
        return f"listed, never probed: {provider.probing_forbidden}"
    if provider.is_paused(now):
        return f"paused: {provider.paused_reason}"
    return provider.capped_reason if provider.is_capped(now) else ""


def counted_models() -> QuerySet[LanguageModel]:
    active = Q(offerings__probe_state=ProbeState.ACTIVE)
    real = Offering.objects.filter(model=OuterRef("pk"), provider__simulated=False)
    lab = Offering.objects.filter(model=OuterRef("pk"), provider__simulated=True)
    return LanguageModel.objects.annotate(
        offered=Count("offerings", filter=active),
        providers_count=Count("offerings__provider", filter=active, distinct=True),
        listed_count=Count("offerings", filter=SOLD),
        only_simulated=Exists(lab) & ~Exists(real),
    )


def counted_providers() -> QuerySet[Provider]:
    active = Q(offerings__probe_state=ProbeState.ACTIVE)
    return Provider.objects.annotate(
        offered=Count("offerings", filter=active),
        models_count=Count("offerings__model", filter=active, distinct=True),
        listed_count=Count("offerings", filter=SOLD),
    )


def figures(row: ModelRow | ProviderRow | None, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names} if row else {}


Entry = TypeVar("Entry", ModelEntry, ProviderEntry)


def in_order(entries: list[Entry], filters: Filters) -> list[Entry]:
    sort = filters.sort or DEFAULT_SORT
    column = sort.removeprefix("-")
    if entries and not hasattr(entries[0], column):
        column, sort = "name", "name"
    return sorted_rows(entries, column, descending=sort.startswith("-"), tie=lambda entry: entry.id)
