"""The columns in code are the published dictionary: order, names, types, units, must-be-filled, constraints."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from leaderboard.exports.columns import TABLES, Table
from leaderboard.exports.columns.offerings import PROTOCOLS
from leaderboard.exports.columns.samples import OUTCOMES

DICTIONARY = Path(__file__).resolve().parents[3] / "shared" / "DATASET.md"
FROZEN = Path(__file__).parent / "published_columns_v1.json"
SECTION = re.compile(r"#### `(\w+)\.csv`.*?\n\nRows: .*?\n\n\| column.*?\n\|[-|]+\n((?:\|.*\n?)+)")
IN_WORDS = {
    "a protocol slug of DESIGN.md": " | ".join(PROTOCOLS),
    "the outcomes of METRICS.md": " | ".join(OUTCOMES),
}
# The sentence before the tables: every table ends with `simulated`, and daily gains three columns.
APPENDED = {
    "daily": [
        ("uptime", "number", "0..1", False, "0..1"),
        ("workload_version", "integer", "", True, ""),
        ("connection_kind", "string", "", True, "warm | cold"),
    ]
}
SIMULATED = ("simulated", "boolean", "", True, "")

Described = tuple[str, str, str, bool, str]


def described_in_text(table: str) -> list[Described]:
    sections = dict(SECTION.findall(DICTIONARY.read_text().split("### 2.7 Data dictionary")[1]))
    rows = []
    for line in sections[table].strip().splitlines():
        name, kind, unit, filled, allowed, _ = (c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1])
        allowed = allowed.replace("\\|", "|")
        rows.append((name.strip("`"), kind, unit, filled == "yes", IN_WORDS.get(allowed, allowed)))
    rows += APPENDED.get(table, [])
    return rows if SIMULATED in rows else [*rows, SIMULATED]


def described_in_code(table: Table) -> list[Described]:
    return [(c.name, c.type, c.unit, c.required, c.allowed) for c in table.columns]


ADDED = ("gpu_levels", "gpu_samples", "tombstones")
"""Tables of ours beside those of the dictionary's source."""


@pytest.mark.skipif(not DICTIONARY.exists(), reason="the dictionary's source is not beside this checkout")
@pytest.mark.parametrize("table", [t for t in TABLES if t.name not in ADDED], ids=lambda table: table.name)
def test_columns_are_the_dictionary_to_the_letter(table: Table) -> None:
    assert described_in_code(table) == described_in_text(table.name)


def test_published_columns_are_only_ever_added_to_at_the_right() -> None:
    frozen = json.loads(FROZEN.read_text())

    for table in TABLES:
        published = [[c.name, c.type, c.unit, c.required, c.allowed] for c in table.columns]
        assert published[: len(frozen[table.name])] == frozen[table.name]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_each_column_has_a_meaning_and_each_name_is_its_own(table: Table) -> None:
    assert all(column.meaning for column in table.columns)
    assert len(set(table.column_names)) == len(table.columns)
    assert set(table.key) <= set(table.column_names)
    assert table.column_names[-1] == "simulated"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_units_end_the_names_of_numbers(table: Table) -> None:
    endings = {"ms": "_ms", "tokens/s": "_tps", "USD per 1e6 tokens": "_usd_per_mtok", "tokens": "_tokens"}
    for column in table.columns:
        ending = endings.get(column.unit)
        if ending and column.name != "max_model_len":
            assert ending in column.name, column.name
