"""Sorting as a reader expects it: by value, missing last both ways, ties by id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from leaderboard.ranking.filters import PAGE_SIZE, Filters

Row = TypeVar("Row")


def sorted_rows(
    rows: Sequence[Row], column: str, *, descending: bool, tie: Callable[[Row], Any]
) -> list[Row]:
    """Rows by a column of theirs; equal and missing values stay in rising order of `tie`."""
    by_tie = sorted(rows, key=tie)
    known = [row for row in by_tie if is_known(getattr(row, column))]
    missing = [row for row in by_tie if not is_known(getattr(row, column))]
    # `reverse` keeps equal rows in the order they have, so ties rise by id both ways.
    known.sort(key=lambda row: sort_value(getattr(row, column)), reverse=descending)
    return known + missing


def is_known(value: object) -> bool:
    return value is not None and value != ""


def sort_value(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """One page of a view; its file is always the whole view."""

    rows: Sequence[Row]
    number: int
    pages: int
    total: int


def page_of(rows: Sequence[Row], filters: Filters) -> Page[Row]:
    """The page asked for, or the last one where there are fewer."""
    pages = max(1, -(-len(rows) // PAGE_SIZE))
    number = min(filters.page, pages)
    return Page(rows[(number - 1) * PAGE_SIZE : number * PAGE_SIZE], number, pages, len(rows))
