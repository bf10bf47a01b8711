from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from leaderboard.charts.bundle import BundleFinder, write_bundle


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bundle")
    write_bundle(place)
    return place


def test_bundle_is_whole_and_asks_nobody(folder: Path) -> None:
    text = write_bundle(folder).read_text(encoding="utf-8")

    assert "vegaEmbed" in text
    assert 'from"http' not in text
    assert len(text) > 500_000


def test_bundle_is_written_once(folder: Path) -> None:
    path = write_bundle(folder)
    before = path.stat().st_mtime_ns

    assert write_bundle(folder).stat().st_mtime_ns == before


def test_collecting_finds_it(folder: Path, settings: Settings) -> None:
    settings.DATA_DIR = folder

    ((name, storage),) = BundleFinder().list(None)

    assert name == "vega.js"
    assert storage.exists(name)
    assert BundleFinder().find("vega.js") == storage.path(name)
    assert BundleFinder().find("other.js") == []
