"""The frontiers of a set of rows: taken per probe location and workload, simulated rows among themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, TypeVar

from leaderboard.ranking.pareto import SPEED_PRICE, SPEED_TTFT, Axis, Frontier, Point, frontier


class Grouped(Protocol):
    """A row that is only compared with rows of the same place, workload and reality."""

    @property
    def probe_location(self) -> str: ...
    @property
    def workload(self) -> str: ...
    @property
    def simulated(self) -> bool: ...


class Candidate(Grouped, Protocol):
    @property
    def offering_id(self) -> str: ...
    @property
    def is_ranked(self) -> bool: ...
    @property
    def is_provisional(self) -> bool: ...
    @property
    def output_speed_tps_p50(self) -> float | None: ...
    @property
    def ttft_ms_p50(self) -> float | None: ...
    @property
    def blended_usd_per_mtok(self) -> Decimal | None: ...


AnyGrouped = TypeVar("AnyGrouped", bound=Grouped)
AnyCandidate = TypeVar("AnyCandidate", bound=Candidate)
GroupKey = tuple[str, str, bool]


@dataclass(frozen=True, slots=True)
class Marks:
    """What a row's frontier columns say."""

    speed_ttft: bool
    speed_price: bool
    dominated_by: str | None
    """One witness on speed and time to first token; None on the frontier and outside the comparison."""


def group_key(row: Grouped) -> GroupKey:
    return row.probe_location, row.workload, row.simulated


def comparable_groups(rows: Iterable[AnyGrouped]) -> dict[GroupKey, list[AnyGrouped]]:
    groups: defaultdict[GroupKey, list[AnyGrouped]] = defaultdict(list)
    for row in rows:
        groups[group_key(row)].append(row)
    return dict(groups)


def compared(group: Sequence[AnyCandidate]) -> list[AnyCandidate]:
    """The ranked rows of a group; where none is ranked yet, the provisional ones (pages label them so)."""
    return [r for r in group if r.is_ranked] or [r for r in group if r.is_provisional]


def group_frontier(
    group: Sequence[Candidate], axes: Sequence[Axis], *, with_witnesses: bool = True
) -> Frontier:
    """The frontier of the compared rows of one group on any axes that are columns of theirs."""
    points = [Point(r.offering_id, tuple(getattr(r, axis.name) for axis in axes)) for r in compared(group)]
    return frontier(points, axes, with_witnesses=with_witnesses)


def frontier_marks(group: Sequence[Candidate]) -> dict[str, Marks]:
    """The frontier columns of one group's rows, by offering."""
    by_ttft = group_frontier(group, SPEED_TTFT)
    by_price = group_frontier(group, SPEED_PRICE, with_witnesses=False)
    on_ttft, on_price = set(by_ttft.ids), set(by_price.ids)
    return {
        r.offering_id: Marks(
            r.offering_id in on_ttft, r.offering_id in on_price, by_ttft.dominated_by.get(r.offering_id)
        )
        for r in group
    }
