"""Which rows stand together on a page: one location, one workload, and never simulated beside real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.ranking.filters import Filters
from leaderboard.ranking.frontiers import comparable_groups
from leaderboard.ranking.rows import LeaderboardRow

DEFAULT_WORKLOAD = "medium"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownGroup:
    """The rows that are compared, and what else could be chosen."""

    rows: tuple[LeaderboardRow, ...]
    probe_location: str
    workload: str
    simulated: bool
    locations: tuple[str, ...]
    workloads: tuple[str, ...]

    @property
    def is_provisional(self) -> bool:
        """Nothing is ranked yet: charts show the provisional frontier and say so."""
        return bool(self.rows) and not any(row.is_ranked for row in self.rows)


EMPTY = ShownGroup(
    rows=(), probe_location="", workload=DEFAULT_WORKLOAD, simulated=False, locations=(), workloads=()
)


def shown_group(rows: Sequence[LeaderboardRow], filters: Filters) -> ShownGroup:
    """The group asked for, else the default workload where most is measured; simulated only while nothing is real."""
    measured = [row for row in rows if row.samples_total or row.samples_ok]
    real = [row for row in measured if not row.simulated]
    candidates = real or measured or list(rows)
    groups = {
        key: members
        for key, members in comparable_groups(candidates).items()
        if (not filters.probe_location or key[0] in filters.probe_location)
        and (not filters.workload or key[1] in filters.workload)
    }
    if not groups:
        return EMPTY

    def preference(key: tuple[str, str, bool]) -> tuple[bool, int, tuple[str, str, bool]]:
        return key[1] != DEFAULT_WORKLOAD, -len(groups[key]), key

    location, workload, simulated = min(groups, key=preference)
    return ShownGroup(
        rows=tuple(groups[location, workload, simulated]),
        probe_location=location,
        workload=workload,
        simulated=simulated,
        locations=tuple(sorted({row.probe_location for row in candidates})),
        workloads=tuple(sorted({row.workload for row in candidates}, key=workload_order)),
    )


def workload_order(workload: str) -> tuple[int, str]:
    order = ("short", "medium", "long", "very-long")
    return (order.index(workload) if workload in order else len(order), workload)
