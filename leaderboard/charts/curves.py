"""What the figures of own GPUs draw: one curve for each endpoint, and rules at what others ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.charts import theme

SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down")
DASHES: tuple[tuple[int, ...], ...] = ((1, 0), (6, 3), (2, 2), (9, 3, 2, 3), (1, 3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One concurrency of an endpoint, where it stands on the axes."""

    concurrency: int
    x: float
    y: float
    on_frontier: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """How a curve is told apart: colour and shape by GPU model, dash by quantization."""

    colour: str
    shape: str
    dash: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One endpoint; its levels in order of concurrency."""

    id: str
    name: str
    href: str
    look: Look
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A price asked by others, drawn right across; `height` is where, in the unit of the axis."""

    seller: str
    price: str
    """As it is asked: `0.6 USD`."""
    height: float

    @property
    def label(self) -> str:
        return f"{self.seller} {self.price}"


@dataclass(frozen=True, slots=True)
class Kind:
    """What decides a curve's look."""

    gpu_model: str
    quantization: str


def looks(kinds: Mapping[str, Kind]) -> dict[str, Look]:
    """By curve id, the same in every figure of a page; past five GPU models the rest are grey.

    Past five number formats the dashes begin again.
    """
    gpus = sorted({kind.gpu_model for kind in kinds.values()})
    formats = sorted({kind.quantization for kind in kinds.values()})
    return {
        key: Look(
            colour=nth(theme.SERIES_COLOURS, gpus.index(kind.gpu_model), theme.REST),
            shape=nth(SHAPES, gpus.index(kind.gpu_model), "cross"),
            dash=DASHES[formats.index(kind.quantization) % len(DASHES)],
        )
        for key, kind in kinds.items()
    }


def nth(words: Sequence[str], index: int, otherwise: str) -> str:
    return words[index] if index < len(words) else otherwise
