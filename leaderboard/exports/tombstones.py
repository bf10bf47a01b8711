"""Tombstones: which rows of closed files a correction replaced, when, why, and which version held them as they were.

Kept as one JSON object a line beside the closed files; published as tombstones.csv and .json.
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .closed_files import closed_root, replace_text
from .columns import TOMBSTONES
from .writers import json_row

NAME = "tombstones.jsonl"

Cells = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """One row of the table; `version_before` is the last dataset version that held the sample as it was."""

    sample_id: str
    offering_id: str
    day: dt.date
    change: str
    corrected_at: dt.datetime
    reason: str
    version_before: str
    version: str
    simulated: bool


def tombstone_rows(root: Path | None = None) -> list[Tombstone]:
    """By key; none before the first correction."""
    try:
        text = ((root or closed_root()) / NAME).read_text()
    except FileNotFoundError:
        return []
    return [read_tombstone(json.loads(line)) for line in text.splitlines()]


def read_tombstone(cells: dict[str, str | bool]) -> Tombstone:
    texts = {name: str(value) for name, value in cells.items()}
    return Tombstone(
        sample_id=texts["sample_id"],
        offering_id=texts["offering_id"],
        day=dt.date.fromisoformat(texts["day"]),
        change=texts["change"],
        corrected_at=dt.datetime.fromisoformat(texts["corrected_at"]),
        reason=texts["reason"],
        version_before=texts["version_before"],
        version=texts["version"],
        simulated=cells["simulated"] is True,
    )


def add_tombstones(found: Iterable[Tombstone], root: Path) -> None:
    """Each once: doing it again after a break changes nothing."""
    by_key = {(t.sample_id, t.version): t for t in (*tombstone_rows(root), *found)}
    lines = [json_row(TOMBSTONES.columns, by_key[key]) + "\n" for key in sorted(by_key)]
    if lines:
        replace_text(root / NAME, "".join(lines))


def tombstones_version(root: Path | None = None) -> str:
    """What changes with any row."""
    path = (root or closed_root()) / NAME
    return str(path.stat().st_mtime_ns) if path.exists() else ""


def published_samples(packed: Path) -> dict[str, Cells]:
    """The rows of a closed day by sample_id; none where there is no such file."""
    if not packed.exists():
        return {}
    with io.TextIOWrapper(gzip.open(packed), encoding="utf-8", newline="") as stream:
        return {cells["sample_id"]: cells for cells in csv.DictReader(stream)}


def change_of(before: Cells, after: Cells | None) -> str | None:
    """None where the row is as it was; columns that were appended since are no change."""
    if after is None:
        return "removed"
    if all(after.get(name) == text for name, text in before.items()):
        return None
    return "excluded" if (before["excluded"], after["excluded"]) == ("false", "true") else "changed"
