"""The benchmark in smoke size, in a process and a database of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_storage_benchmark_runs_and_recording_keeps_up() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("storage.py")), "--json"],
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )

    line = json.loads(done.stdout)

    assert line["samples"] == 20_000
    assert line["record_rows_per_s"] > 1000  # 5,000 and more on a quiet machine; see --whole
    assert 100 < line["bytes_per_sample"] < 2000
