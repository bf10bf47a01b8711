"""The rows of a snapshot priced at a visitor's own mix: the price, its rank and its frontier follow, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from leaderboard.catalogue.pricing import Blend, Rates, blended, parse_blend
from leaderboard.ranking.frontiers import comparable_groups, frontier_marks
from leaderboard.ranking.ranks import competition_ranks
from leaderboard.ranking.rows import LeaderboardRow

MONEY_STEP = Decimal("1e-8")
"""As finely as a snapshot keeps its own blended price."""


def at_blend(rows: Sequence[LeaderboardRow], text: str) -> tuple[LeaderboardRow, ...]:
    """The same rows in the same order; raises BadBlend."""
    blend = parse_blend(text)
    priced = [with_price(row, blend) for row in rows]
    found: dict[tuple[str, str, str, bool], LeaderboardRow] = {}
    for group in comparable_groups(priced).values():
        for row in with_standing_by_price(group):
            found[row.offering_id, row.probe_location, row.workload, row.simulated] = row
    return tuple(found[r.offering_id, r.probe_location, r.workload, r.simulated] for r in priced)


def with_price(row: LeaderboardRow, blend: Blend) -> LeaderboardRow:
    rates = Rates(
        input_usd_per_mtok=row.input_usd_per_mtok,
        output_usd_per_mtok=row.output_usd_per_mtok,
        cache_read_usd_per_mtok=row.cache_read_usd_per_mtok,
    )
    price = blended(rates, blend)
    usd = None if price.usd_per_mtok is None else price.usd_per_mtok.quantize(MONEY_STEP)
    return replace(row, blended_usd_per_mtok=usd, blend=price.blend, blend_fell_back=price.fell_back_to_input)


def with_standing_by_price(group: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    ranked = [row for row in group if row.is_ranked]
    ranks = competition_ranks([number(row.blended_usd_per_mtok) for row in ranked], higher_is_better=False)
    by_offering = {row.offering_id: rank for row, rank in zip(ranked, ranks, strict=True)}
    marks = frontier_marks(group)
    return [
        replace(
            row,
            rank_price=by_offering.get(row.offering_id),
            frontier_speed_price=marks[row.offering_id].speed_price,
        )
        for row in group
    ]


def number(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)
