"""Pareto frontiers: the points that no other beats. Pure functions on full-precision values.

a dominates b if it is at least as good on every axis and better on one. Equal points therefore both stay.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import groupby
from operator import attrgetter

Value = float | Decimal | None


@dataclass(frozen=True, slots=True)
class Axis:
    """A measure by its column name, and which end of it is better."""

    name: str
    higher_is_better: bool
    zero_is_usable: bool = False
    """True for prices (0 is free) and rates; a speed or a wait of 0 was never measured."""


@dataclass(frozen=True, slots=True)
class Point:
    id: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Frontier:
    """Who is on it, in order of the last axis from its better end and then id; and who beats the others."""

    ids: tuple[str, ...]
    dominated_by: dict[str, str] = field(default_factory=dict)
    """For each point behind the frontier the smallest id of those that beat it."""
    unusable: tuple[str, ...] = ()
    """Points without a usable value on every axis, left out and counted."""


AXES = {
    axis.name: axis
    for axis in (
        Axis("output_speed_tps_p50", higher_is_better=True),
        Axis("ttft_ms_p50", higher_is_better=False),
        Axis("ttfat_ms_p50", higher_is_better=False),
        Axis("end_to_end_ms_p50", higher_is_better=False),
        Axis("response_time_500_ms_p50", higher_is_better=False),
        Axis("blended_usd_per_mtok", higher_is_better=False, zero_is_usable=True),
        Axis("input_usd_per_mtok", higher_is_better=False, zero_is_usable=True),
        Axis("output_usd_per_mtok", higher_is_better=False, zero_is_usable=True),
        Axis("success_rate", higher_is_better=True, zero_is_usable=True),
        Axis("uptime", higher_is_better=True, zero_is_usable=True),
    )
}
SPEED_TTFT = (AXES["output_speed_tps_p50"], AXES["ttft_ms_p50"])
SPEED_PRICE = (AXES["output_speed_tps_p50"], AXES["blended_usd_per_mtok"])

Vector = tuple[float | Decimal, ...]


def frontier(points: Sequence[Point], axes: Sequence[Axis], *, with_witnesses: bool = True) -> Frontier:
    """The frontier on two or three axes (any number works); ids must be unique. Witnesses cost most of the time."""
    vectors: dict[str, Vector] = {}
    unusable = []
    for point in sorted(points, key=attrgetter("id")):
        vector = better_is_higher(point.values, axes)
        if vector is None:
            unusable.append(point.id)
        else:
            vectors[point.id] = vector
    if len(axes) == 2 and with_witnesses:
        beaten = beaten_on_two(vectors)
        best = vectors.keys() - beaten.keys()
    elif len(axes) == 2:
        best, beaten = set(sweep(vectors)), {}
    else:
        witnesses = {id_: first_dominating(vector, vectors) for id_, vector in vectors.items()}
        beaten = {id_: witness for id_, witness in witnesses.items() if witness is not None}
        best = vectors.keys() - beaten.keys()
    on = sorted(best, key=lambda i: (-vectors[i][-1], i))
    return Frontier(tuple(on), beaten if with_witnesses else {}, tuple(unusable))


def better_is_higher(values: Sequence[Value], axes: Sequence[Axis]) -> Vector | None:
    """The values turned so that higher is better on each axis; None where one of them is unusable."""
    vector: list[float | Decimal] = []
    for value, axis in zip(values, axes, strict=True):
        if value is None or not is_usable(value, axis):
            return None
        vector.append(value if axis.higher_is_better else -value)
    return tuple(vector)


def is_usable(value: float | Decimal, axis: Axis) -> bool:
    return math.isfinite(value) and (value > 0 or (value == 0 and axis.zero_is_usable))


def sweep(vectors: Mapping[str, Vector]) -> list[str]:
    """The frontier on two axes by one sort and one pass."""
    kept: list[str] = []
    best: float | Decimal = -math.inf
    last: Vector | None = None
    for id_, vector in sorted(vectors.items(), key=lambda item: item[1], reverse=True):
        if vector[1] > best or vector == last:
            kept.append(id_)
            best, last = max(best, vector[1]), vector
    return kept


def beaten_on_two(vectors: Mapping[str, Vector]) -> dict[str, str]:
    """Who is beaten on two axes, and by which id, the first in order of `vectors`; n log n.

    From the best on the first axis down, all that came before is at least as good there. So the witness is the first
    id among those before that are at least as good on the second axis: a minimum over a prefix (a Fenwick tree).
    """
    ids = list(vectors)
    heights = sorted({vector[1] for vector in vectors.values()}, reverse=True)
    place_of = {height: place for place, height in enumerate(heights, start=1)}
    nobody = len(ids)
    first_of = [nobody] * (len(heights) + 1)
    beaten: dict[str, str] = {}
    down = sorted(range(len(ids)), key=lambda n: vectors[ids[n]], reverse=True)
    for vector, equals in groupby(down, key=lambda n: vectors[ids[n]]):
        alike, place, witness = list(equals), place_of[vector[1]], nobody
        at = place
        while at:
            witness = min(witness, first_of[at])
            at &= at - 1
        if witness != nobody:
            beaten |= {ids[n]: ids[witness] for n in alike}
        newcomer, at = min(alike), place  # only now: equal points do not beat each other
        while at < len(first_of):
            first_of[at] = min(first_of[at], newcomer)
            at += at & -at
    return beaten


def first_dominating(vector: Vector, others: Mapping[str, Vector]) -> str | None:
    """The first id whose vector beats this one; `others` in order of id makes it the smallest."""
    first, second = vector[:2]
    for id_, other in others.items():
        if (
            other[0] >= first
            and other[1] >= second  # told apart by these two, nearly all; the rest is for three axes
            and all(map(operator.ge, other, vector))
            and other != vector
        ):
            return id_
    return None
