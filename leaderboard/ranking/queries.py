"""What pages, charts and files read: one consistent snapshot, one row type. Samples are never read here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from leaderboard.ranking.blends import at_blend
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.frontiers import comparable_groups, frontier_marks
from leaderboard.ranking.groups import ModelRow, ProviderRow, model_rows, provider_rows
from leaderboard.ranking.models import Snapshot, Summary
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.sorting import Page, page_of, sorted_rows

__all__ = [
    "ModelRow",
    "Page",
    "ProviderRow",
    "latest_snapshot",
    "leaderboard_rows",
    "model_rows",
    "page_of",
    "provider_rows",
]

FROM_CATALOGUE = {
    "offering_id": "offering__public_id",
    "provider_id": "offering__provider__slug",
    "provider_name": "offering__provider__name",
    "provider_kind": "offering__provider__kind",
    "model_id": "offering__model__slug",
    "model_name": "offering__model__name",
    "creator": "offering__model__creator",
    "weights": "offering__model__weights",
    "hosting": "offering__hosting",
    "quantization": "offering__quantization",
    "variant": "offering__variant",
    "serving_region": "offering__serving_region",
    "probe_state": "offering__probe_state",
}
NOT_STORED = ("as_of", "window_hours", "blend_fell_back")
PATHS = {
    f.name: FROM_CATALOGUE.get(f.name, f.name) for f in fields(LeaderboardRow) if f.name not in NOT_STORED
}
KEPT_IN_MEMORY = 4
"""Snapshots never change once complete, so each process keeps the rows of the last few it served."""


def latest_snapshot(window_hours: int = 72, as_of: dt.datetime | None = None) -> Snapshot | None:
    """The newest complete snapshot of that window, or the newest one kept at or before `as_of`; one query."""
    snapshots = Snapshot.objects.filter(window_hours=window_hours, is_complete=True)
    if as_of is not None:
        snapshots = snapshots.filter(as_of__lte=as_of)
    return snapshots.order_by("-as_of").first()


def leaderboard_rows(snapshot: Snapshot | None, filters: Filters | None = None) -> list[LeaderboardRow]:
    """The rows of a view in its order; without filters every row of the snapshot by offering, location, workload.

    Ranks are those of the whole snapshot; where filters leave rows out, frontiers are taken anew over the rest.
    At most one query.
    """
    if snapshot is None:
        return []
    rows: Sequence[LeaderboardRow] = rows_of_snapshot(snapshot.pk, snapshot.as_of, snapshot.window_hours)
    if not rows and snapshot.samples_read:
        rows = rows_of_successor(snapshot)
    if filters is None:
        return list(rows)
    if filters.blend:
        rows = rows_at_blend(snapshot.pk, snapshot.as_of, snapshot.window_hours, filters.blend) or at_blend(
            rows, filters.blend
        )
    if filters.is_filtering and not filters.full:
        rows = with_view_frontiers([row for row in rows if matches(row, filters)])
    return in_order(rows, filters)


def rows_of_successor(snapshot: Snapshot) -> Sequence[LeaderboardRow]:
    """Of the snapshot that was remade for the same instant while this one was being read."""
    remade = Snapshot.objects.filter(
        as_of=snapshot.as_of, window_hours=snapshot.window_hours, is_complete=True
    ).first()
    return () if remade is None else rows_of_snapshot(remade.pk, remade.as_of, remade.window_hours)


@lru_cache(maxsize=KEPT_IN_MEMORY)
def rows_of_snapshot(snapshot_id: int, as_of: dt.datetime, window_hours: int) -> tuple[LeaderboardRow, ...]:
    """Every row of a complete snapshot, with names as the catalogue has them now; one query, then none."""
    found = (
        Summary.objects.filter(snapshot=snapshot_id)
        .order_by("offering__public_id", "probe_location", "workload")
        .values_list(*PATHS.values())
    )
    return tuple(row_of(values, as_of, window_hours) for values in found)


@lru_cache(maxsize=KEPT_IN_MEMORY)
def rows_at_blend(
    snapshot_id: int, as_of: dt.datetime, window_hours: int, blend: str
) -> tuple[LeaderboardRow, ...]:
    return at_blend(rows_of_snapshot(snapshot_id, as_of, window_hours), blend)


def row_of(values: Sequence[Any], as_of: dt.datetime, window_hours: int) -> LeaderboardRow:
    named = dict(zip(PATHS, values, strict=True))
    named["dominated_by"] = named["dominated_by"] or None
    return LeaderboardRow(as_of=as_of, window_hours=window_hours, **named)


def matches(row: LeaderboardRow, filters: Filters) -> bool:
    return (
        among(row.model_id, filters.model)
        and among(row.creator, filters.creator)
        and among(row.provider_id, filters.provider)
        and among(row.weights, filters.weights)
        and among(row.hosting, filters.hosting)
        and among(row.quantization, filters.quantization)
        and among(row.probe_location, filters.probe_location)
        and among(row.workload, filters.workload)
        and among(row.freshness, filters.freshness)
        and in_price_range(row, filters)
        and (
            filters.success_min is None
            or (row.success_rate is not None and row.success_rate >= filters.success_min)
        )
        and says(row, filters.q)
    )


def among(value: str, wanted: tuple[str, ...]) -> bool:
    return not wanted or value in wanted


def in_price_range(row: LeaderboardRow, filters: Filters) -> bool:
    """An unknown price is in no range; without a range it does not matter."""
    if filters.price_min is None and filters.price_max is None:
        return True
    price = row.blended_usd_per_mtok
    return (
        price is not None
        and (filters.price_min is None or price >= filters.price_min)
        and (filters.price_max is None or price <= filters.price_max)
    )


def says(row: LeaderboardRow, q: str) -> bool:
    """Whether each word of the search is somewhere in the row's names and ids, in any case."""
    if not q:
        return True
    text = " ".join(
        (row.model_name, row.model_id, row.provider_name, row.offering_id, row.creator)
    ).casefold()
    return all(word in text for word in q.casefold().split())


def with_view_frontiers(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    marked = []
    for group in comparable_groups(rows).values():
        marks = frontier_marks(group)
        for row in group:
            mark = marks[row.offering_id]
            marked.append(
                replace(
                    row,
                    frontier_speed_ttft=mark.speed_ttft,
                    frontier_speed_price=mark.speed_price,
                    dominated_by=mark.dominated_by,
                )
            )
    return marked


def row_key(row: LeaderboardRow) -> tuple[str, str, str]:
    return row.offering_id, row.probe_location, row.workload


def in_order(rows: Sequence[LeaderboardRow], filters: Filters) -> list[LeaderboardRow]:
    if not filters.sort_column or filters.sort_column not in LEADERBOARD_FIELDS:
        return sorted(rows, key=row_key)
    return sorted_rows(rows, filters.sort_column, descending=filters.is_descending, tie=row_key)


LEADERBOARD_FIELDS = frozenset(f.name for f in fields(LeaderboardRow))
