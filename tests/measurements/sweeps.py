"""Sweeps made of whole requests, stored the way a measured one is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from leaderboard.catalogue.models import Deployment
from leaderboard.measurements.models import Sweep
from leaderboard.measurements.sweep_recording import MeasuredLevel, record_sweep
from leaderboard.measurements.sweep_rules import SweepPlan
from probes.level import Level, LevelSample, Window, sum_up
from probes.result import ProbeResult
from probes.workloads import get_workload

SWEPT_AT = dt.datetime(2026, 7, 14, 3, tzinfo=dt.UTC)
WINDOW = Window(from_ms=1000.123456, to_ms=21_000.0)


def make_request(number: int, **fields: Any) -> LevelSample:
    """The n-th request of a level: 100 ms and n to its first token, 50 tokens/s and n."""
    sent_ms = fields.pop("sent_ms", 1000.0 * number + 0.333333)
    window_tokens = fields.pop("window_tokens", 90.1234567)
    told: dict[str, Any] = {
        "request_id": f"r{number}",
        "started_at": SWEPT_AT + dt.timedelta(milliseconds=sent_ms),
        "workload": "short",
        "workload_version": 1,
        "outcome": "ok",
        "input_tokens": 31,
        "output_tokens": 100,
        "token_source": "usage",
        "ttft_ms": 100.0 + number + 1 / 3,
        "ttfat_ms": 130.0 + number + 1 / 7,
        "thinking_ms": 30.0,
        "last_token_ms": 2000.0 + number,
        "end_to_end_ms": 2001.0 + number,
        "output_speed_tps": 50.0 + number + 1 / 7,
        "answer_speed_tps": 49.0 + number,
        "inter_token_ms": 1000 / (50.0 + number),
        "response_time_500_ms": 9000.0 + number,
        "event_gap_p50_ms": 19.0 + number / 7,
        "event_gap_p95_ms": 29.0 + number / 7,
        "client_lag_ms": 0.4 + number / 1000,
    }
    return LevelSample(
        lane=number % 2,
        sent_ms=sent_ms,
        window_share=1.0,
        window_tokens=window_tokens,
        result=ProbeResult(**told | fields),
    )


def failed(number: int, outcome: str) -> LevelSample:
    nothing = dict.fromkeys(
        (
            "ttft_ms", "ttfat_ms", "thinking_ms", "last_token_ms", "end_to_end_ms", "output_speed_tps",
            "answer_speed_tps", "inter_token_ms", "response_time_500_ms", "event_gap_p50_ms", "event_gap_p95_ms",
            "output_tokens",
        )
    )  # fmt: skip
    return make_request(number, outcome=outcome, window_tokens=0.0, **nothing)


def make_level(concurrency: int, samples: Sequence[LevelSample]) -> Level:
    return sum_up(samples, WINDOW, measured_at=SWEPT_AT, workload="short", concurrency=concurrency)


def make_measured_sweep(
    deployment: Deployment, *, at: dt.datetime = SWEPT_AT, levels: Sequence[Level] = ()
) -> Sweep:
    """Two levels: one of 25 requests, one with failures and exclusions too; stored with every request."""
    chosen = levels or (
        make_level(1, [make_request(n) for n in range(25)]),
        make_level(
            2,
            [
                *(make_request(n) for n in range(8)),
                make_request(8, excluded=True, excluded_from="speed", exclusion_reason="too_few_tokens"),
                make_request(9, excluded=True, excluded_from="all", exclusion_reason="probe_fault"),
                failed(10, "timeout"),
                failed(11, "rate_limited"),
            ],
        ),
    )
    sweep = record_sweep(
        deployment,
        SweepPlan(levels=tuple(level.concurrency for level in chosen), phase_s=21.0),
        get_workload("short"),
        [MeasuredLevel(level=level) for level in chosen],
        planned_at=at,
    )
    assert sweep is not None
    if at != SWEPT_AT:
        Sweep.objects.filter(pk=sweep.pk).update(measured_at=at)
        sweep.refresh_from_db()
    return sweep
