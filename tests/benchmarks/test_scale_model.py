from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.operations.environment import ROOT
from tests.benchmarks.scale_model import Load, Measured, calculate

COSTS = Measured(
    bytes_per_sample=500,
    store_s=0.002,
    claim_s=0.0025,
    send_s=0.001,
    message_bytes=1000,
    snapshot_s_per_million=10,
)


def test_rates_follow_from_locations_offerings_and_interval() -> None:
    found = calculate(Load(locations=100, offerings=2160, interval_s=10_800), COSTS)

    assert found["probes_per_s"] == found["messages_per_s"] == found["rows_per_s"] == 20
    assert found["rows_per_year_million"] == pytest.approx(630.72)
    assert found["disk_gb_per_year"] == pytest.approx(315.36)
    assert found["workers_per_location"] == pytest.approx(2)
    assert found["window_million_samples"] == pytest.approx(5.184)
    assert found["snapshot_s"] == pytest.approx(51.84)
    assert found["busy_database_writes"] == pytest.approx(0.04)
    assert found["busy_planner"] == pytest.approx(0.108)
    assert found["busy_snapshots"] == pytest.approx(0.864)


def test_document_calculates_as_the_model_does() -> None:
    """Its table of results follows from its table of measurements."""
    text = (ROOT / "docs/scaling.md").read_text()
    assert "| one sample on disk, indexes included | 515 bytes |" in text
    costs = Measured(515, 0.0017, 0.0031, 0.0006, 1291, 9.0)

    found = calculate(Load(100, 2000, 10_800), costs)

    stated = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", text, re.MULTILINE))
    assert stated["probes, messages and rows"] == f"{found['probes_per_s']:.1f} a second"
    assert stated["rows a year"] == f"{found['rows_per_year_million']:.0f} million"
    assert stated["disk a year"] == f"{round(found['disk_gb_per_year'], -1):.0f} GB"
    assert stated["one snapshot"] == f"{found['snapshot_s']:.0f} s"
    assert stated["planner busy"] == f"{100 * found['busy_planner']:.0f} % of its tick"
    assert (
        stated["board worker busy with snapshots, one a minute"] == f"{100 * found['busy_snapshots']:.0f} %"
    )


def test_it_measures_and_calculates_in_one_run() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("scale_model.py")), "--json"],
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )

    found = json.loads(done.stdout)

    assert 200 < found["measured"]["bytes_per_sample"] < 2000
    assert found["calculated"]["probes_per_s"] == pytest.approx(18.52, abs=0.01)
