"""A small run of the benchmark: every reader reads it all, the stream with flat memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from leaderboard.exports.columns import SAMPLES

HEADER_BYTES = len(",".join(SAMPLES.column_names)) + 2
BENCHMARK = Path(__file__).with_name("csv_export.py")


def test_every_reader_reads_every_sample_and_the_stream_stays_small() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--samples", "3000", "--rounds", "1", "--json"],
        capture_output=True,
        check=True,
        text=True,
    )

    lines = {line["reader"]: line for line in map(json.loads, done.stdout.splitlines())}
    assert list(lines) == ["psql bare", "psql same query", "plain", "gzip", "parquet"]
    assert lines["plain"]["bytes"] == lines["psql same query"]["bytes"] + 3000 + HEADER_BYTES
    assert lines["plain"]["extra_mb"] < 20
    assert lines["gzip"]["bytes"] < lines["plain"]["bytes"] / 3
    assert lines["plain"]["first_byte_ms"] < 1_000
