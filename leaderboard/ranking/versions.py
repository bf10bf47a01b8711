"""Versions of the method and of a workload's text: which is newer, and the days on which they changed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

AgeOrder = tuple[tuple[int, ...], int]


class Versioned(Protocol):
    """A daily row, or anything that says its day, its series and its versions."""

    @property
    def day(self) -> dt.date: ...
    @property
    def offering_id(self) -> int: ...
    @property
    def methodology_version(self) -> str: ...
    @property
    def workload_version(self) -> int: ...


def age_order(methodology_version: str, workload_version: int) -> AgeOrder:
    """Rises with newer methods, then with newer texts of the workload."""
    return tuple(int(part) for part in methodology_version.split(".") if part.isdigit()), workload_version


@dataclass(frozen=True, slots=True, order=True)
class VersionChange:
    """The first day of an offering's rows under other versions than before: figures across it are not compared."""

    day: dt.date
    offering_id: int
    words: str
    """What is new, as in "method 1.1.0" or "workload text 2"."""


def version_changes(rows: Iterable[Versioned]) -> list[VersionChange]:
    """Of rows of one workload and place, in any order; by day."""
    ordered = sorted(
        rows, key=lambda r: (r.offering_id, r.day, age_order(r.methodology_version, r.workload_version))
    )
    return sorted(
        VersionChange(after.day, after.offering_id, words_of(before, after))
        for before, after in pairwise(ordered)
        if before.offering_id == after.offering_id and words_of(before, after)
    )


def words_of(before: Versioned, after: Versioned) -> str:
    if before.methodology_version != after.methodology_version:
        return f"method {after.methodology_version}"
    if before.workload_version != after.workload_version:
        return f"workload text {after.workload_version}"
    return ""
