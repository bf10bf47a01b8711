"""Counts beside each filter value: how many rows it would show, the other filters staying as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from leaderboard.ranking.filters import Filters
from leaderboard.ranking.queries import matches
from leaderboard.ranking.rows import LeaderboardRow

FACETS = {
    "creator": ("creator", "creator"),
    "provider": ("provider_id", "provider_name"),
    "model": ("model_id", "model_name"),
    "weights": ("weights", "weights"),
    "hosting": ("hosting", "hosting"),
    "quantization": ("quantization", "quantization"),
    "probe_location": ("probe_location", "probe_location"),
    "workload": ("workload", "workload"),
    "freshness": ("freshness", "freshness"),
}
"""Query name: the row's column it filters, and the column that names it to a reader."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    value: str
    label: str
    count: int
    is_selected: bool
    query: str
    """The address with this value added, or taken away where it is selected."""


def facets(rows: Sequence[LeaderboardRow], filters: Filters) -> dict[str, list[FacetValue]]:
    """Every filter's values with their counts, the most frequent first; `rows` are the whole snapshot's."""
    shown = matching(rows, filters)
    return {
        name: facet(name, rows, matching(rows, filters.changed(**{name: ()})), filters)
        if getattr(filters, name)
        else facet(name, rows, shown, filters)
        for name in FACETS
    }


def matching(rows: Sequence[LeaderboardRow], filters: Filters) -> Sequence[LeaderboardRow]:
    return [row for row in rows if matches(row, filters)] if filters.is_filtering else rows


def facet(
    name: str, rows: Sequence[LeaderboardRow], counted: Sequence[LeaderboardRow], filters: Filters
) -> list[FacetValue]:
    """`counted` are the rows that all other filters leave."""
    column, label_column = FACETS[name]
    labels: dict[str, str] = dict(map(attrgetter(column, label_column), rows))
    counts = Counter(map(attrgetter(column), counted))
    selected: tuple[str, ...] = getattr(filters, name)
    labels |= {value: value for value in selected if value not in labels}
    known = [value for value in labels if counts[value] or value in selected]
    return [
        FacetValue(
            value,
            labels[value],
            counts[value],
            value in selected,
            toggled(filters, name, value).query(),
        )
        for value in sorted(known, key=lambda v: (-counts[v], labels[v].casefold(), v))
    ]


def toggled(filters: Filters, name: str, value: str) -> Filters:
    selected = set(getattr(filters, name)) ^ {value}
    return filters.changed(**{name: tuple(sorted(selected))})
