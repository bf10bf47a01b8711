"""Tombstones: which change a row of a closed file went through, and that writing them twice changes nothing."""

from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from leaderboard.exports.closed_files import read_manifest
from leaderboard.exports.dataset import dataset_version, next_patch
from leaderboard.exports.releases import close_due_days, day_path
from leaderboard.exports.rewriting import rewrite_days
from leaderboard.exports.tombstones import add_tombstones, change_of, tombstone_rows
from leaderboard.measurements.models import Sample
from tests.exports.rows import AS_OF, any_partition, make_sample
from tests.factories import make_offering

DAY = AS_OF.date()
NEXT_NOON = AS_OF + dt.timedelta(days=1)
ROW = {"sample_id": "a", "ttft_ms": "1.5", "excluded": "false"}


@pytest.mark.parametrize(
    ("after", "change"),
    [
        (ROW, None),
        (ROW | {"appended": "x"}, None),
        (ROW | {"excluded": "true", "exclusion_reason": "admin"}, "excluded"),
        (ROW | {"ttft_ms": "1.6"}, "changed"),
        (None, "removed"),
    ],
)
def test_what_became_of_a_row(after: dict[str, str] | None, change: str | None) -> None:
    assert change_of(ROW, after) == change


def test_versions_are_numbers() -> None:
    assert next_patch("1.0.9") == "1.0.10"


@pytest.fixture
def root(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path / "dataset"


@pytest.mark.django_db
def test_rows_that_changed_or_went_are_buried_once_and_new_ones_are_not(root: Path) -> None:
    any_partition()
    offering = make_offering(public_id="alfa~a")
    _, changed, gone = (make_sample(offering, ttft_ms=n) for n in (1.0, 2.0, 3.0))
    close_due_days(NEXT_NOON)
    Sample.objects.filter(sample_id=changed.sample_id).update(ttft_ms=2.5)
    Sample.objects.filter(sample_id=gone.sample_id).delete()
    make_sample(offering, ttft_ms=4.0)

    rewrite_days([DAY], reason="a clock\nwas wrong", now=NEXT_NOON)

    found = {t.sample_id: (t.change, t.reason) for t in tombstone_rows()}
    assert found == {
        str(changed.sample_id): ("changed", "a clock was wrong"),
        str(gone.sample_id): ("removed", "a clock was wrong"),
    }
    before = (root / "tombstones.jsonl").read_bytes()
    add_tombstones(tombstone_rows(), root)
    assert (root / "tombstones.jsonl").read_bytes() == before


@pytest.mark.django_db
def test_a_closed_day_that_gains_its_first_samples_gets_its_file_without_a_correction(root: Path) -> None:
    any_partition()
    offering = make_offering()
    make_sample(offering, scheduled_at=AS_OF - dt.timedelta(days=2))
    close_due_days(NEXT_NOON)
    make_sample(offering, scheduled_at=AS_OF)

    rewrite_days([DAY, DAY + dt.timedelta(days=1)], reason="late load", now=NEXT_NOON)

    packed = root / f"{day_path(DAY)}.csv.gz"
    assert gzip.decompress(packed.read_bytes()).count(b"\r\n") == 2
    assert read_manifest().file(f"{day_path(DAY)}.csv.gz") is not None
    assert (dataset_version(), tombstone_rows()) == ("1.0.0", [])
