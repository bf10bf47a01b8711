"""How a visitor looks at the same rows: what "fast" means, and the mix the blended price is of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from leaderboard.pages.board import Board
from leaderboard.ranking.definitions import DEFINITIONS, Definition, definition_of
from leaderboard.ranking.filters import Filters

BLENDS = {
    "": "3 input : 1 output",
    "input:output=1:1": "1 : 1",
    "cache_read:input:output=7:2:1": "7 cached : 2 input : 1 output",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One link of a switch: `asked` and `asked_sort` go into its address."""

    name: str
    label: str
    asked: str
    asked_sort: str = ""


def lens_context(board: Board) -> dict[str, Any]:
    filters = board.filters
    return {
        "definition": definition_of(filters.display),
        "definitions": [choice_of(d, filters) for d in DEFINITIONS.values()],
        "blends": [Choice(blend, label, blend) for blend, label in BLENDS.items()],
        "own_blend": filters.blend not in BLENDS,
        "kept_fields": parse_qsl(filters.query(leave_out=("blend", "page"))),
        "blend_fell_back": sum(row.blend_fell_back for row in board.all_rows) if filters.blend else 0,
    }


def choice_of(definition: Definition, filters: Filters) -> Choice:
    """A list sorted by another definition, or by none, goes on sorted by the one chosen."""
    sorts = {d.sort for d in DEFINITIONS.values()} | {""}
    best_first = "" if definition.is_default else definition.sort
    sort = best_first if filters.sort in sorts else filters.sort
    return Choice(definition.name, definition.label, "" if definition.is_default else definition.name, sort)
