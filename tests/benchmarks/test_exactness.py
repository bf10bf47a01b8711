"""A small run of the benchmark: the meter agrees with the lab's log, in processes of their own."""

from __future__ import annotations

from tests.benchmarks.exactness import Row, compare
from tests.probes.network.conftest import on_a_busy_machine


@on_a_busy_machine
def test_ten_streams_are_measured_as_they_were_sent() -> None:
    (line,) = compare([Row(streams=10, tokens_per_s=200, tokens=80, repeats=1)], ["probe"], rounds=1)

    assert line["requests"] == 10
    assert float(str(line["ttft_error_p95_ms"])) < 2
    assert float(str(line["speed_error_p95_percent"])) < 0.5
    assert float(str(line["memory_mb"])) < 60
