"""A level's figures from its requests, worked by hand."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from probes.level import METRICS, STATISTICS, Level, LevelSample, Window, sum_up
from probes.result import ProbeResult

NOW = dt.datetime(2026, 7, 15, tzinfo=dt.UTC)
WINDOW = Window(from_ms=1000.0, to_ms=11_000.0)


def request(
    sent_ms: float = 2000.0, *, tokens: float = 100.0, share: float | None = 1.0, **result: Any
) -> LevelSample:
    fields: dict[str, Any] = {
        "request_id": "r",
        "started_at": NOW,
        "workload": "short",
        "workload_version": 1,
        "outcome": "ok",
        "ttft_ms": 100.0,
        "output_speed_tps": 50.0,
        "input_tokens": 30,
        "output_tokens": 100,
    }
    return LevelSample(
        lane=0,
        sent_ms=sent_ms,
        window_share=share,
        window_tokens=tokens,
        result=ProbeResult(**fields | result),
    )


def level(*samples: LevelSample) -> Level:
    return sum_up(samples, WINDOW, measured_at=NOW, workload="short", concurrency=2)


def test_throughput_is_the_tokens_in_the_window_over_its_seconds() -> None:
    summed = level(request(tokens=100.0), request(tokens=60.5), request(tokens=0.0))

    assert summed.window_s == 10.0
    assert summed.throughput_tps == 16.05


def test_prompts_count_where_their_first_token_fell_into_the_window() -> None:
    before, inside, after = request(899.0), request(900.0), request(10_900.0)

    assert level(before, inside, after).throughput_in_tps == 3.0


def test_waits_are_those_of_requests_begun_after_the_ramp() -> None:
    summed = level(
        request(0.0, ttft_ms=900.0), request(1000.0, ttft_ms=100.0), request(2000.0, ttft_ms=200.0)
    )

    assert (summed.figures["ttft_ms_samples"], summed.ttft_ms_p50) == (2, 150.0)
    assert summed.ttft_ms_p95 == pytest.approx(195.0)


def test_a_long_answer_that_began_in_the_ramp_is_all_there_is() -> None:
    summed = level(request(0.0, ttft_ms=900.0), request(0.0, ttft_ms=700.0))

    assert (summed.figures["ttft_ms_samples"], summed.ttft_ms_p50) == (2, 800.0)


def test_speeds_are_those_of_answers_that_lay_mostly_in_the_window() -> None:
    summed = level(
        request(share=1.0, output_speed_tps=40.0),
        request(share=0.5, output_speed_tps=44.0),
        request(share=0.49, output_speed_tps=90.0),  # ran out alone
    )

    assert (summed.figures["output_speed_tps_samples"], summed.output_speed_tps_user_p50) == (2, 42.0)


def test_what_is_excluded_from_speed_keeps_its_waits_and_its_tokens() -> None:
    short = request(excluded=True, excluded_from="speed", exclusion_reason="too_few_tokens", ttft_ms=300.0)
    summed = level(request(), short)

    assert summed.samples_ok == 2
    assert summed.figures["output_speed_tps_samples"] == 1
    assert summed.figures["ttft_ms_samples"] == 2
    assert summed.throughput_tps == 20.0
    assert summed.exclusions == {"too_few_tokens": 1}


@pytest.mark.parametrize(("reason", "throughput_tps"), [("probe_fault", 20.0), ("cache_hit", 10.0)])
def test_what_is_excluded_from_all_gives_no_figure_and_tokens_only_where_the_clock_was_ours(
    reason: str, throughput_tps: float
) -> None:
    summed = level(request(), request(excluded=True, excluded_from="all", exclusion_reason=reason))

    assert (summed.samples_ok, summed.figures["ttft_ms_samples"]) == (1, 1)
    assert summed.throughput_tps == throughput_tps


def test_outcomes_are_told_apart_and_rated_by_the_one_formula() -> None:
    summed = level(
        request(),
        request(),
        request(outcome="timeout", ttft_ms=None, output_speed_tps=None, tokens=0.0, share=None),
        request(outcome="rate_limited", ttft_ms=None, output_speed_tps=None, tokens=0.0, share=None),
        request(outcome="ours", ttft_ms=None, output_speed_tps=None, tokens=0.0, share=None),
    )

    assert summed.outcomes == {"ok": 2, "ours": 1, "rate_limited": 1, "timeout": 1}
    assert summed.figures["success_rate"] == 0.5
    assert summed.figures["uptime"] == pytest.approx(2 / 3)
    assert (summed.requests, summed.samples_ok) == (5, 2)


def test_the_interval_of_the_median_needs_six_values_and_the_p95_twenty() -> None:
    waits = [request(ttft_ms=float(n)) for n in range(1, 21)]

    five, six, nineteen, twenty = (level(*waits[:n]).figures for n in (5, 6, 19, 20))

    assert (five["ttft_ms_p50_low"], five["ttft_ms_p50_high"]) == (None, None)
    assert (six["ttft_ms_p50_low"], six["ttft_ms_p50_high"]) == (1.0, 6.0)
    assert (nineteen["ttft_ms_p95"], twenty["ttft_ms_p95"]) == (None, pytest.approx(19.05))
    assert level(*waits[:5]).ttft_ms_p95 == pytest.approx(
        4.8
    )  # the limit on a wait is judged on what there is


def test_every_metric_has_every_statistic_even_where_nothing_succeeded() -> None:
    summed = level(
        request(outcome="server_error", ttft_ms=None, output_speed_tps=None, tokens=0.0, share=None)
    )

    assert set(summed.figures) == {f"{m}_{s}" for m in METRICS for s in STATISTICS} | {
        "success_rate",
        "uptime",
    }
    assert (summed.throughput_tps, summed.throughput_in_tps, summed.ttft_ms_p50) == (None, None, None)
    assert summed.figures["ttft_ms_samples"] == 0
    assert summed.figures["success_rate"] == 0.0


@pytest.mark.parametrize(
    ("lag_ms", "concurrency", "samples_ok", "is_bound"),
    [
        (None, 8, 100, False),
        (5.0, 8, 1000, False),  # 144 ms a request, but no later than 5 ms
        (6.0, 8, 1000, True),  # 6 of 144 ms
        (6.0, 8, 100, False),  # 6 of 1,440 ms: under 1 %
        (6.0, 8, 0, True),
    ],
)
def test_a_level_is_excluded_where_our_own_client_held_it_back(
    lag_ms: float | None, concurrency: int, samples_ok: int, is_bound: bool
) -> None:
    late = replace(
        level(request()), concurrency=concurrency, window_s=18.0, client_lag_ms=lag_ms, samples_ok=samples_ok
    )

    assert late.is_client_bound is is_bound
