"""What the command says at its end: of the endpoint, never of a client that was itself too slow."""

from __future__ import annotations

import datetime as dt

from probes.cli.sweep import summarise
from probes.level import Level


def level(concurrency: int, throughput_tps: float, *, lag_ms: float = 1.0) -> Level:
    return Level(
        measured_at=dt.datetime(2026, 7, 15, tzinfo=dt.UTC),
        workload="short",
        concurrency=concurrency,
        samples_ok=100,
        output_speed_tps_user_p50=throughput_tps / concurrency,
        throughput_tps=throughput_tps,
        throughput_in_tps=None,
        ttft_ms_p50=None,
        ttft_ms_p95=None,
        client_lag_ms=lag_ms,
        requests=100,
        window_s=10.0,
    )


def test_a_level_that_measured_our_own_client_is_no_saturation() -> None:
    told = summarise([level(1, 100.0), level(2, 190.0), level(4, 300.0, lag_ms=50.0)])

    assert (told["saturated_concurrency"], told["saturated_throughput_tps"]) == (2, 190.0)
    assert (told["client_bound_levels"], told["client_lag_ms"]) == ([4], 50.0)


def test_nothing_is_said_of_the_endpoint_where_every_level_measured_us() -> None:
    told = summarise([level(1, 100.0, lag_ms=50.0)])

    assert (told["single_stream_tps"], told["saturated_throughput_tps"]) == (None, None)
