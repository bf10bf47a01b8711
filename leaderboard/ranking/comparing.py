"""Ranks and frontiers of a snapshot's rows, each within one location, workload and reality; numpy comes with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from leaderboard.ranking.ordered import Ordered, known
from leaderboard.ranking.pareto import Vector, beaten_on_two, sweep
from leaderboard.ranking.ranks import Interval, competition_ranks, rank_bounds
from leaderboard.ranking.resampling import frontier_shares


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivals:
    """What rows are compared by; one element for each row of the snapshot, None is unknown."""

    ids: Sequence[str]
    speeds_tps: Sequence[float | None]
    ttfts_ms: Sequence[float | None]
    prices_usd: Sequence[Decimal | None]
    all_speeds_tps: Ordered
    all_ttfts_ms: Ordered

    def speed_intervals(self) -> list[Interval | None]:
        """A median of too few values for an interval may lie anywhere among them; None without a median."""
        lows, highs = map(known, self.all_speeds_tps.bounds())
        return [
            None if low is None or high is None else (low, high)
            for low, high in zip(lows, highs, strict=True)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rows, by number, that are compared with each other and with no others."""

    seed: str
    """Of the resampling."""
    ranked: Sequence[int]
    on_frontier: Sequence[int]
    """Those among which the frontiers are taken: the ranked ones, or while there is none the provisional ones."""


def compared_columns(rivals: Rivals, groups: Iterable[Group]) -> dict[str, list[Any]]:
    """The columns of ranks and frontiers, for every row; decided on unrounded values."""
    rows = len(rivals.ids)
    columns: dict[str, list[Any]] = {
        **{f"rank_{name}": [None] * rows for name in ("speed", "speed_best", "speed_worst", "ttft", "price")},
        **{f"frontier_speed_{name}": [False] * rows for name in ("ttft", "price")},
        "frontier_speed_ttft_share": [None] * rows,
        "dominated_by": [""] * rows,
    }
    intervals = rivals.speed_intervals()
    for group in groups:
        set_ranks(columns, rivals, intervals, group.ranked)
        set_frontiers(columns, rivals, group.on_frontier)
        set_shares(columns, rivals, group)
    return columns


def set_ranks(
    columns: dict[str, list[Any]],
    rivals: Rivals,
    intervals: Sequence[Interval | None],
    ranked: Sequence[int],
) -> None:
    prices = [None if (price := rivals.prices_usd[n]) is None else float(price) for n in ranked]
    by_name = {
        "rank_speed": competition_ranks([rivals.speeds_tps[n] for n in ranked], higher_is_better=True),
        "rank_ttft": competition_ranks([rivals.ttfts_ms[n] for n in ranked], higher_is_better=False),
        "rank_price": competition_ranks(prices, higher_is_better=False),
    }
    for name, ranks in by_name.items():
        for n, rank in zip(ranked, ranks, strict=True):
            columns[name][n] = rank
    allowed = rank_bounds([intervals[n] for n in ranked], higher_is_better=True)
    for n, best_worst in zip(ranked, allowed, strict=True):
        if best_worst is not None:
            columns["rank_speed_best"][n], columns["rank_speed_worst"][n] = best_worst


def set_frontiers(columns: dict[str, list[Any]], rivals: Rivals, rows: Sequence[int]) -> None:
    """The same frontiers as `pareto.frontier` takes; medians are above zero here, so nothing has to be looked at."""
    row_of = {rivals.ids[n]: n for n in sorted(rows, key=rivals.ids.__getitem__)}
    soon = vectors_of(row_of, rivals.speeds_tps, rivals.ttfts_ms)
    beaten = beaten_on_two(soon)
    for id_ in soon:
        columns["frontier_speed_ttft"][row_of[id_]] = id_ not in beaten
        columns["dominated_by"][row_of[id_]] = beaten.get(id_, "")
    for id_ in sweep(vectors_of(row_of, rivals.speeds_tps, rivals.prices_usd)):
        columns["frontier_speed_price"][row_of[id_]] = True


def vectors_of(
    row_of: Mapping[str, int],
    higher_is_better: Sequence[float | None],
    lower_is_better: Sequence[float | Decimal | None],
) -> dict[str, Vector]:
    """Turned so that higher is better; points without both values are left out."""
    return {
        id_: (first, -second)
        for id_, n in row_of.items()
        if (first := higher_is_better[n]) is not None and (second := lower_is_better[n]) is not None
    }


def set_shares(columns: dict[str, list[Any]], rivals: Rivals, group: Group) -> None:
    rows = np.array(group.on_frontier, dtype=np.int64)
    shares = frontier_shares(
        [rivals.ids[n] for n in group.on_frontier],
        rivals.all_speeds_tps.some(rows),
        rivals.all_ttfts_ms.some(rows),
        seed=group.seed,
    )
    for n, share in zip(group.on_frontier, known(shares), strict=True):
        columns["frontier_speed_ttft_share"][n] = share
