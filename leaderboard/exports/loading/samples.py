"""samples.csv into the sample table: insert or ignore, so that loading a file twice changes nothing."""

from __future__ import annotations

import datetime as dt
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from leaderboard.catalogue.models import Offering
from leaderboard.exports.columns import SAMPLES
from leaderboard.measurements.identity import NaturalKey, sample_id
from leaderboard.measurements.models import Sample
from leaderboard.measurements.recording import record_samples
from probes.failures import FAULTS

from .cells import LoadProblem, Row, read_rows

# Our own labels: published as they are, so what comes in must be one.
LABELS = ("probe_location", "workload", "methodology_version")
LABEL = re.compile(r"[a-z0-9][a-z0-9._-]*")
UNNAMED = "local"
"""The location of a board that was given no name for it."""
LONGEST_LOCATION = 64
TEXTS = ("finish_reason", "exclusion_reason", "excluded_from")


def load_samples(path: Path, *, place: str = "") -> tuple[int, int, list[dt.date]]:
    """How many rows the file has, how many of them were new, and their UTC days; all or none are stored.

    Raises LoadProblem.

    With a `place` the samples are another board's and get its name as their location.
    """
    offerings = dict(Offering.objects.values_list("public_id", "pk"))
    read = Counter[dt.date]()
    rows = counted(read_rows(path, SAMPLES), read)
    new = record_samples(
        samples_of(elsewhere(rows, place) if place else rows, offerings, keeps_ids=not place)
    )
    return read.total(), new, sorted(read)


def elsewhere(rows: Iterable[Row], place: str) -> Iterator[Row]:
    """The same rows from other locations: a board's unnamed one becomes `place`, the others `place` and their name."""
    for row in rows:
        there = str(row["probe_location"])
        yield {**row, "probe_location": place if there == UNNAMED else f"{place}-{there}"}


def counted(rows: Iterable[Row], read: Counter[dt.date]) -> Iterator[Row]:
    for row in rows:
        read[cast("dt.datetime", row["scheduled_at"]).astimezone(dt.UTC).date()] += 1
        yield row


def samples_of(rows: Iterable[Row], offerings: dict[str, int], *, keeps_ids: bool = True) -> Iterator[Sample]:
    """Samples of one slot are numbered in the order of the file: their sequence is in no published column.

    An id is made of its slot, location included: two boards that probed at the same instant from places of one name
    have the same ids, so samples that change their location get new ones.
    """
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
            sample_id=sample_uuid(row["sample_id"]) if keeps_ids else new_id(row, slots[slot]),
            offering_id=pk,
            sequence=slots[slot],
            fault=FAULTS.get(str(row["outcome"]), ""),
            **values,
        )
        slots[slot] += 1


def new_id(row: Row, sequence: int) -> uuid.UUID:
    key = NaturalKey(
        offering_id=str(row["offering_id"]),
        workload=str(row["workload"]),
        probe_location=str(row["probe_location"]),
        connection_kind=str(row["connection_kind"]),
        scheduled_at=cast("dt.datetime", row["scheduled_at"]),
        sequence=sequence,
    )
    return sample_id(key)


def check_labels(row: Row) -> None:
    if len(str(row["probe_location"])) > LONGEST_LOCATION:
        raise LoadProblem(
            f"probe_location {row['probe_location']} is longer than {LONGEST_LOCATION} letters."
        )
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
