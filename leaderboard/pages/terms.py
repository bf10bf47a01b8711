"""The glossary: one definition a term, linked from everywhere by its anchor."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("terms.toml")


@dataclass(frozen=True, slots=True)
class Term:
    """`column` is the published column that holds it, where one does."""

    anchor: str
    name: str
    meaning: str
    column: str = ""


TERMS = tuple(Term(**term) for term in tomllib.loads(SOURCE.read_text(encoding="utf-8"))["term"])
