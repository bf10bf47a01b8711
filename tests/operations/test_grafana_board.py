"""The Grafana board asks only for figures that /metrics has, and for all of them."""

from __future__ import annotations

import json
import re

import pytest
from prometheus_client.core import GaugeMetricFamily

from leaderboard.operations import watching
from leaderboard.operations.environment import ROOT
from leaderboard.operations.metrics import BoardCollector
from tests.ranking.factories import AS_OF

BOARD = json.loads((ROOT / "deploy/grafana/board.json").read_text())
NAME = re.compile(r"leaderboard_[a-z_]+")


def asked() -> set[str]:
    return {name for panel in BOARD["panels"] for t in panel["targets"] for name in NAME.findall(t["expr"])}


@pytest.mark.django_db
def test_board_and_metrics_name_the_same_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    full = watching.SlotCounts(1, 1, 0, 1, start_delay_s=1.0, oldest_wait_s=1.0)
    monkeypatch.setattr(watching, "slot_counts", lambda now: full)
    monkeypatch.setattr(watching, "snapshot_age", lambda now: AS_OF - AS_OF)
    monkeypatch.setattr(watching, "last_ok_age", lambda now: AS_OF - AS_OF)

    families = list(BoardCollector(AS_OF).collect())

    assert all(isinstance(family, GaugeMetricFamily) for family in families)
    assert {family.name for family in families} == asked()


@pytest.mark.django_db
def test_document_lists_the_same_figures() -> None:
    text = (ROOT / "docs/operations.md").read_text()

    assert set(re.findall(r"^\| `(leaderboard_[a-z_]+)", text, re.MULTILINE)) == asked()


def test_panels_do_not_overlap_and_have_their_own_numbers() -> None:
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in BOARD["panels"])
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]

    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])
