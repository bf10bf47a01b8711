"""How a visitor looks at the same rows: what "fast" means, and the mix the blended price is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.pages.board import Board
from leaderboard.ranking.definitions import DEFINITIONS, Definition, definition_of, moves
from leaderboard.ranking.filters import Filters

BLENDS = {
    "": "3:1",
    "input:output=1:1": "1:1",
    "cache_read:input:output=7:2:1": "7:2:1 cached",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One link of a switch: `asked` and `asked_sort` go into its address."""

    name: str
    label: str
    asked: str
    asked_sort: str = ""


WINDOWS = {"24h": "24 h", "72h": "72 h", "14d": "14 days"}


def lens_context(board: Board, *, own_fields: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """`own_fields` are names and values that only this page reads: they travel in each of its links too."""
    filters = board.filters
    definition = definition_of(filters.display)
    return {
        "definition": definition,
        "moves": {} if definition.is_default else moves(board.all_rows, definition),
        "definitions": [choice_of(d, filters) for d in DEFINITIONS.values()],
        "blends": [Choice(blend, label, blend) for blend, label in BLENDS.items()],
        "own_blend": filters.blend not in BLENDS,
        "windows": WINDOWS.items(),
        "own_fields": own_fields,
        "blend_fell_back": sum(row.blend_fell_back for row in board.all_rows) if filters.blend else 0,
    }


def choice_of(definition: Definition, filters: Filters) -> Choice:
    """A list sorted by another definition, or by none, goes on sorted by the one chosen."""
    sorts = {d.sort for d in DEFINITIONS.values()} | {""}
    best_first = "" if definition.is_default else definition.sort
    sort = best_first if filters.sort in sorts else filters.sort
    return Choice(definition.name, definition.label, "" if definition.is_default else definition.name, sort)
