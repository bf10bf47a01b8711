"""Rows by model and by provider: medians of their offerings' medians, one vote each; runs are never pooled."""

from __future__ import annotations

import datetime as dt
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar

from leaderboard.catalogue.pricing import median_usd_per_mtok
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.frontiers import comparable_groups
from leaderboard.ranking.pareto import SPEED_TTFT, Point, frontier
from leaderboard.ranking.percentiles import median_of_medians
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.sorting import sorted_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a group's voting offerings say together at one location under one workload; None is unknown."""

    probe_location: str
    workload: str
    simulated: bool
    offerings: int
    """Active offerings with samples in the window, voting or not."""
    votes: int
    """Offerings behind the medians: the ranked ones, or the provisional ones where none is ranked."""
    is_provisional: bool
    output_speed_tps_p50: float | None
    slowest_tps: float | None
    fastest_tps: float | None
    slowest_offering: str | None
    fastest_offering: str | None
    ttft_ms_p50: float | None
    soonest_ms: float | None
    latest_ms: float | None
    soonest_offering: str | None
    latest_offering: str | None
    ttfat_ms_p50: float | None
    end_to_end_ms_p50: float | None
    response_time_500_ms_p50: float | None
    blended_usd_per_mtok: Decimal | None
    success_rate: float | None
    uptime: float | None
    samples: int
    """Ok samples of the voting offerings in the window."""
    last_ok_at: dt.datetime | None
    last_sample_at: dt.datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow(Figures):
    """One model over all who serve it."""

    model_id: str
    model_name: str
    creator: str
    weights: str
    providers: int
    frontier_speed_ttft: bool = False
    dominated_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRow(Figures):
    """One provider over the models it serves; sets of models differ, so compare `like_for_like_speed`."""

    provider_id: str
    provider_name: str
    kind: str
    models_served: int
    like_for_like_speed: float | None = None
    """Median ratio to the model's median speed, over models that at least two others serve too; 1 is average."""
    like_for_like_ttft: float | None = None
    shared_models: int = 0


Row = TypeVar("Row", ModelRow, ProviderRow)


def model_rows(rows: Sequence[LeaderboardRow], filters: Filters | None = None) -> list[ModelRow]:
    """One row per model, location and workload, with the frontier of the models among themselves."""
    made = [
        ModelRow(
            **figures(members),
            model_id=members[0].model_id,
            model_name=members[0].model_name,
            creator=members[0].creator,
            weights=members[0].weights,
            providers=len({row.provider_id for row in members if row.is_active}),
        )
        for members in bundles(rows, lambda row: row.model_id)
    ]
    return ordered(with_frontier(made), filters, lambda row: (row.model_id, row.probe_location, row.workload))


def provider_rows(rows: Sequence[LeaderboardRow], filters: Filters | None = None) -> list[ProviderRow]:
    """One row per provider, location and workload."""
    made = [
        ProviderRow(
            **figures(members),
            provider_id=members[0].provider_id,
            provider_name=members[0].provider_name,
            kind=members[0].provider_kind,
            models_served=len({row.model_id for row in members if row.is_active}),
        )
        for members in bundles(rows, lambda row: row.provider_id)
    ]
    return ordered(
        with_like_for_like(made, rows),
        filters,
        lambda row: (row.provider_id, row.probe_location, row.workload),
    )


def bundles(
    rows: Iterable[LeaderboardRow], subject: Callable[[LeaderboardRow], str]
) -> Iterable[list[LeaderboardRow]]:
    """The rows of each subject within each comparable group; a row without its subject's name is in none."""
    for group in comparable_groups(rows).values():
        by_subject: defaultdict[str, list[LeaderboardRow]] = defaultdict(list)
        for row in group:
            if subject(row):
                by_subject[subject(row)].append(row)
        yield from (members for members in by_subject.values() if any(m.is_active for m in members))


def voting(members: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    return [r for r in members if r.is_ranked] or [r for r in members if r.is_provisional]


def figures(members: Sequence[LeaderboardRow]) -> dict[str, Any]:
    votes = voting(members)
    by_speed = extremes(votes, "output_speed_tps_p50")
    by_ttft = extremes(votes, "ttft_ms_p50")
    price, _ = median_usd_per_mtok(row.blended_usd_per_mtok for row in votes)
    return {
        "probe_location": members[0].probe_location,
        "workload": members[0].workload,
        "simulated": members[0].simulated,
        "offerings": sum(row.is_active for row in members),
        "votes": len(votes),
        "is_provisional": not any(row.is_ranked for row in members),
        "output_speed_tps_p50": median_of_medians(row.output_speed_tps_p50 for row in votes),
        "slowest_tps": by_speed[0],
        "slowest_offering": by_speed[1],
        "fastest_tps": by_speed[2],
        "fastest_offering": by_speed[3],
        "ttft_ms_p50": median_of_medians(row.ttft_ms_p50 for row in votes),
        "soonest_ms": by_ttft[0],
        "soonest_offering": by_ttft[1],
        "latest_ms": by_ttft[2],
        "latest_offering": by_ttft[3],
        "ttfat_ms_p50": median_of_medians(row.ttfat_ms_p50 for row in votes),
        "end_to_end_ms_p50": median_of_medians(row.end_to_end_ms_p50 for row in votes),
        "response_time_500_ms_p50": median_of_medians(row.response_time_500_ms_p50 for row in votes),
        "blended_usd_per_mtok": price,
        "success_rate": median_of_medians(row.success_rate for row in votes),
        "uptime": median_of_medians(row.uptime for row in votes),
        "samples": sum(row.samples_ok for row in votes),
        "last_ok_at": max((row.last_ok_at for row in members if row.last_ok_at), default=None),
        "last_sample_at": max((row.last_sample_at for row in members if row.last_sample_at), default=None),
    }


Extremes = tuple[float | None, str | None, float | None, str | None]


def extremes(votes: Sequence[LeaderboardRow], column: str) -> Extremes:
    """The lowest value and whose it is, the highest and whose; ties go to the smaller id."""
    known = [(getattr(row, column), row.offering_id) for row in votes if getattr(row, column) is not None]
    if not known:
        return None, None, None, None
    low = min(known)
    high = min(known, key=lambda pair: (-pair[0], pair[1]))
    return low[0], low[1], high[0], high[1]


def with_frontier(rows: Sequence[ModelRow]) -> list[ModelRow]:
    """Marked among rows with a ranked offering; where a group has none, among its provisional ones."""
    marked = []
    for group in comparable_groups(rows).values():
        compared = [r for r in group if not r.is_provisional] or group
        points = [Point(r.model_id, (r.output_speed_tps_p50, r.ttft_ms_p50)) for r in compared]
        taken = frontier(points, SPEED_TTFT)
        on = set(taken.ids)
        marked += [
            replace(r, frontier_speed_ttft=r.model_id in on, dominated_by=taken.dominated_by.get(r.model_id))
            for r in group
        ]
    return marked


SHARED_WITH_AT_LEAST = 2


def with_like_for_like(made: Sequence[ProviderRow], rows: Sequence[LeaderboardRow]) -> list[ProviderRow]:
    """Each provider against the median of the models it shares with at least two others."""
    speed: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
    ttft: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
    for members in bundles(rows, lambda row: row.model_id):
        ratios_of_model(members, "output_speed_tps_p50", speed)
        ratios_of_model(members, "ttft_ms_p50", ttft)

    def key(row: ProviderRow) -> tuple[str, ...]:
        return row.provider_id, row.probe_location, row.workload, str(row.simulated)

    return [
        replace(
            row,
            like_for_like_speed=median_of_medians(speed[key(row)]),
            like_for_like_ttft=median_of_medians(ttft[key(row)]),
            shared_models=len(speed[key(row)]),
        )
        for row in made
    ]


def ratios_of_model(
    members: Sequence[LeaderboardRow], column: str, ratios: defaultdict[tuple[str, ...], list[float]]
) -> None:
    """Add each provider's ratio to the median of one model, where enough providers serve it."""
    votes = [row for row in voting(members) if getattr(row, column) is not None]
    of_provider: defaultdict[str, list[float]] = defaultdict(list)
    for row in votes:
        of_provider[row.provider_id].append(getattr(row, column))
    middle = median_of_medians(getattr(row, column) for row in votes)
    if middle is None or len(of_provider) <= SHARED_WITH_AT_LEAST:
        return
    first = members[0]
    for provider_id, values in of_provider.items():
        ratio = statistics.median(values) / middle
        ratios[provider_id, first.probe_location, first.workload, str(first.simulated)].append(ratio)


def ordered(rows: list[Row], filters: Filters | None, tie: Callable[[Row], tuple[str, ...]]) -> list[Row]:
    """In the view's order where it names a column of these rows, else by id."""
    if filters is None or not rows or not hasattr(rows[0], filters.sort_column):
        return sorted(rows, key=tie)
    return sorted_rows(rows, filters.sort_column, descending=filters.is_descending, tie=tie)
