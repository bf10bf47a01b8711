"""samples.csv into the sample table: insert or ignore, so that loading a file twice changes nothing."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from leaderboard.catalogue.models import Offering
from leaderboard.exports.columns import SAMPLES
from leaderboard.measurements.models import Sample
from leaderboard.measurements.recording import record_samples
from probes.failures import FAULTS

from .cells import LoadProblem, Row, read_rows

# Our own labels: published as they are, so what comes in must be one.
LABELS = ("probe_location", "workload", "methodology_version")
LABEL = re.compile(r"[a-z0-9][a-z0-9._-]*")
TEXTS = ("finish_reason", "exclusion_reason", "excluded_from")


def load_samples(path: Path) -> tuple[int, int]:
    """How many rows the file has and how many of them were new; all or none are stored. Raises LoadProblem."""
    offerings = dict(Offering.objects.values_list("public_id", "pk"))
    read = Counter[str]()
    new = record_samples(samples_of(counted(read_rows(path, SAMPLES), read), offerings))
    return read["rows"], new


def counted(rows: Iterable[Row], read: Counter[str]) -> Iterator[Row]:
    for row in rows:
        read["rows"] += 1
        yield row


def samples_of(rows: Iterable[Row], offerings: dict[str, int]) -> Iterator[Sample]:
    """Samples of one slot are numbered in the order of the file: their sequence is in no published column."""
    slots = Counter[tuple[object, ...]]()
    for row in rows:
        pk = offerings.get(str(row["offering_id"]))
        if pk is None:
            raise LoadProblem(
                f"{row['offering_id']} is not in the catalogue: give its providers, models and offerings files "
                "with --catalogue DIR."
            )
        check_labels(row)
        slot = tuple(
            row[name]
            for name in ("scheduled_at", "offering_id", "workload", "probe_location", "connection_kind")
        )
        values: dict[str, Any] = {k: v for k, v in row.items() if k not in ("offering_id", "sample_id")}
        values |= {name: row[name] or "" for name in TEXTS}
        yield Sample(
            sample_id=sample_uuid(row["sample_id"]),
            offering_id=pk,
            sequence=slots[slot],
            fault=FAULTS.get(str(row["outcome"]), ""),
            **values,
        )
        slots[slot] += 1


def check_labels(row: Row) -> None:
    for name in LABELS:
        if not LABEL.fullmatch(str(row[name])):
            raise LoadProblem(
                f"{name} {str(row[name])[:60]!r} is no label: lower-case letters, digits, dots and hyphens."
            )


def sample_uuid(value: object) -> uuid.UUID:
    try:
        return uuid.UUID(str(value))
    except ValueError:
        raise LoadProblem(f"sample_id {str(value)[:60]!r} is no UUID.") from None
