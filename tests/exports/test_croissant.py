"""croissant.json by the format's own reader: no error, no warning, and every row found."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
import time_machine
from django.core.management import call_command
from pytest_django.fixtures import Settings

from leaderboard.ranking.summarise import make_snapshot
from tests.exports.boards import make_history
from tests.exports.rows import AS_OF

pytestmark = pytest.mark.django_db
READER = Path(__file__).with_name("read_croissant.py")


def rows_in(path: Path) -> int:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return sum(1 for _ in csv.DictReader(io.StringIO(text, newline="")))


def test_reference_reader_finds_no_fault_and_every_row(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"
    folder = tmp_path / "dataset"
    with time_machine.travel(AS_OF + dt.timedelta(minutes=5), tick=False):
        make_history(hours=40)
        make_snapshot(as_of=AS_OF)
        call_command("export_dataset", str(folder), stdout=io.StringIO())

    done = subprocess.run(
        [sys.executable, str(READER), str(folder / "croissant.json")],
        capture_output=True,
        check=True,
        timeout=120,
    )

    told = json.loads(done.stdout)
    described = json.loads((folder / "croissant.json").read_text())
    files = {r["@id"]: r["field"][0]["source"]["fileObject"]["@id"] for r in described["recordSet"]}
    assert (told["errors"], told["warnings"]) == ([], [])
    assert told["rows"] == {name: rows_in(folder / path) for name, path in files.items()}
    assert any(path.endswith(".csv.gz") for path in files.values())
