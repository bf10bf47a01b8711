"""Published against recomputed, digit by digit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from .board import recomputed_board
from .daily import DAILY_KEY, recomputed_days
from .levels import LEVEL_KEY, recomputed_levels, told_twice
from .reading import Published

BOARD_KEY = ("offering_id", "probe_location", "workload")
Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """One cell, or one whole row where `column` is empty."""

    table: str
    key: tuple[str, ...]
    column: str
    published: str
    recomputed: str

    def __str__(self) -> str:
        place = f"{self.table} {' '.join(self.key)}"
        if not self.column:
            return f"{place}: row {self.published}, {self.recomputed}"
        return f"{place}: {self.column} is {self.published!r}, recomputed {self.recomputed!r}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was compared, and every difference found."""

    rows: int
    cells: int
    differences: tuple[Difference, ...]


def compare(published: Published) -> Outcome:
    board = list(compared("leaderboard", published.leaderboard, BOARD_KEY, recomputed_board(published)))
    days = list(compared("daily", published.daily, DAILY_KEY, recomputed_days(published)))
    levels = list(compared("gpu_levels", told_twice(published), LEVEL_KEY, recomputed_levels(published)))
    everything = board + days + levels
    found = [difference for _, differences in everything for difference in differences]
    return Outcome(len(everything), sum(count for count, _ in everything), tuple(found))


def compared(
    table: str,
    published: pd.DataFrame,
    key_columns: Iterable[str],
    recomputed: Mapping[tuple[str, ...], Cells],
) -> Iterator[tuple[int, list[Difference]]]:
    """For each row the number of cells compared and their differences; rows on one side only are differences."""
    names = list(key_columns)
    seen = set()
    for row in published.to_dict("records"):
        key = tuple(str(row[name]) for name in names)
        seen.add(key)
        cells = recomputed.get(key)
        if cells is None:
            yield 0, [Difference(table, key, "", "published", "not recomputed")]
            continue
        compared_columns = [n for n in map(str, row) if n in cells or n.startswith("rank_")]
        yield (
            len(compared_columns),
            [
                Difference(table, key, name, str(row[name]), cells.get(name, ""))
                for name in compared_columns
                if str(row[name]) != cells.get(name, "")
            ],
        )
    for key in recomputed.keys() - seen:
        yield 0, [Difference(table, key, "", "not published", "recomputed")]
