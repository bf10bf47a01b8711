"""What every filtered list shows round its table: counts beside each filter value, chips, files, pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.pages.board import Board
from leaderboard.pages.lens import lens_context
from leaderboard.ranking.facets import FacetValue, facets
from leaderboard.ranking.filters import Filters

FACET_LABELS = {
    "weights": "Weights",
    "hosting": "Hosting",
    "workload": "Workload",
    "probe_location": "Location",
    "freshness": "Freshness",
    "quantization": "Quantization",
    "provider": "Provider",
    "creator": "Creator",
    "model": "Model",
}
LONG_FACETS = frozenset({"provider", "creator", "model"})
# The file of a view takes the same query, but is never paged or drawn.
NOT_IN_FILES = ("page", "view", "yscale", "display", "hl")


@dataclass(frozen=True, slots=True)
class Facet:
    name: str
    label: str
    values: Sequence[FacetValue]

    @property
    def is_long(self) -> bool:
        return self.name in LONG_FACETS

    @property
    def selected(self) -> int:
        return sum(value.is_selected for value in self.values)


def facet_list(board: Board, leave_out: Sequence[str] = ()) -> list[Facet]:
    """Those with something to choose between, or something chosen."""
    counted = facets(board.all_rows, board.filters)
    found = [
        Facet(name, label, counted[name]) for name, label in FACET_LABELS.items() if name not in leave_out
    ]
    return [facet for facet in found if len(facet.values) > 1 or facet.selected]


def with_query(path: str, filters: Filters, *, leave_out: Sequence[str] = ()) -> str:
    query = filters.query(leave_out=leave_out)
    return f"{path}?{query}" if query else path


def list_context(board: Board, path: str, *, leave_out: Sequence[str] = ()) -> dict[str, Any]:
    """`path` is the page's, with its last slash; the siblings are the same path with an ending."""
    file = path.rstrip("/")
    filters = board.filters
    return {
        "board": board,
        "filters": filters,
        "path": path,
        "facets": facet_list(board, leave_out),
        "chips": filters.chips(),
        **lens_context(board),
        "picture_query": with_query("", filters, leave_out=("page", "view")),
        **{
            ending: with_query(f"{file}.{ending}", filters, leave_out=NOT_IN_FILES)
            for ending in ("csv", "json", "svg", "png")
        },
    }
