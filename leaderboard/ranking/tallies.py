"""Counts of samples by series and class, and the rates that follow from them. numpy is loaded with this module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leaderboard.ranking.ordered import Floats, Whole
from leaderboard.ranking.versions import AgeOrder, age_order
from probes.reliability import DOWN, OUR_FAULT


class Part(NamedTuple):
    """What a series says beside its offering."""

    workload: str
    probe_location: str
    workload_version: int
    methodology_version: str

    @property
    def age_order(self) -> AgeOrder:
        return age_order(self.methodology_version, self.workload_version)


class Class(NamedTuple):
    """Samples that are alike in all that is text."""

    part: Part
    simulated: bool
    outcome: str
    excluded: bool
    exclusion_reason: str
    excluded_from: str

    @property
    def is_counted(self) -> bool:
        return not (self.excluded and self.excluded_from != "speed")

    @property
    def is_ok(self) -> bool:
        return self.outcome == "ok" and self.is_counted

    @property
    def is_timed(self) -> bool:
        return self.outcome == "ok" and not self.excluded


@dataclass(frozen=True, slots=True)
class Tallies:
    """Samples of each series (row of `counts`) in each class (column)."""

    classes: Sequence[Class]
    counts: Whole

    def total(self) -> Whole:
        return self._of(range(len(self.classes)))

    def excluded(self) -> Whole:
        return self._of(n for n, one in enumerate(self.classes) if one.excluded)

    def ok(self) -> Whole:
        return self._of(n for n, one in enumerate(self.classes) if one.is_ok)

    def outcomes(self) -> dict[str, Whole]:
        """By outcome in order of name; samples left out of every aggregate are in none."""
        counted = [(n, one.outcome) for n, one in enumerate(self.classes) if one.is_counted]
        return self._by_name(counted)

    def exclusions(self) -> dict[str, Whole]:
        """Excluded samples by reason, in order of name."""
        return self._by_name(
            [(n, one.exclusion_reason) for n, one in enumerate(self.classes) if one.excluded]
        )

    def success_rates(self) -> Floats:
        """ok / all attempts whose fault was not ours; NaN where there was no such attempt."""
        return shares(self.ok(), self._sum(lambda outcome: outcome not in OUR_FAULT))

    def uptimes(self) -> Floats:
        """ok / (ok + server_error + timeout + stream_broken + empty); NaN where there was none of these."""
        return shares(self.ok(), self._sum(lambda outcome: outcome == "ok" or outcome in DOWN))

    def _sum(self, is_in: Callable[[str], bool]) -> Whole:
        return self._of(n for n, one in enumerate(self.classes) if one.is_counted and is_in(one.outcome))

    def _of(self, classes: Iterable[int]) -> Whole:
        found: Whole = self.counts[:, list(classes)].sum(axis=1)
        return found

    def _by_name(self, named: Sequence[tuple[int, str]]) -> dict[str, Whole]:
        return {
            name: self._of(n for n, its_name in named if its_name == name)
            for name in sorted({name for _, name in named})
        }


def shares(part: Whole, whole: Whole) -> Floats:
    found: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return found
