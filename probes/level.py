"""One level of a sweep: its requests, and every metric of a probe over them, by the rules of all aggregates.

A figure is of the level where it was measured at the level's load. Waits (to the first token, to the answer, and the
thinking between) count for requests begun after the ramp. Figures of whole answers count where at least half of the
answer's time lay in the window: what runs out after the phase has the endpoint more and more to itself. Where no
request is so, all count.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from probes.intervals import median_interval
from probes.percentiles import percentile
from probes.reliability import success_rate, uptime
from probes.result import ProbeResult

WAITS = ("ttft_ms", "ttfat_ms", "thinking_ms")
SPEEDS = ("output_speed_tps", "answer_speed_tps", "inter_token_ms", "response_time_500_ms")
OTHERS = ("event_gap_p50_ms", "event_gap_p95_ms", "end_to_end_ms")
METRICS = (*WAITS, *SPEEDS, *OTHERS)
PERCENTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
STATISTICS = ("samples", *PERCENTILES, "p50_low", "p50_high")
P95_HIDDEN_BELOW = 20
MOSTLY = 0.5
LAG_LIMIT_MS = 5.0
LAG_SHARE = 0.01
"""A client late by less than this share of a request's time cannot be what holds the endpoint back."""

Figure = float | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSample:
    """One request of a level, on the level's own clock."""

    lane: int
    sent_ms: float
    """After the level began."""
    window_share: float | None
    """Of its time from request to last token, the share that lay in the window; None without a token."""
    window_tokens: float
    """Output tokens that fell into the window."""
    result: ProbeResult

    @property
    def is_ok(self) -> bool:
        return self.result.outcome == "ok" and self.result.excluded_from != "all"

    @property
    def made_tokens(self) -> bool:
        """Whether its tokens are the endpoint's work: our own late clock changes times, not tokens."""
        return self.is_ok or (self.result.outcome == "ok" and self.result.exclusion_reason == "probe_fault")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The part of a phase that counts, in ms after the level began: from the ramp's end to the phase's."""

    from_ms: float
    to_ms: float

    @property
    def seconds(self) -> float:
        return (self.to_ms - self.from_ms) / 1000

    def holds(self, at_ms: float) -> bool:
        return self.from_ms <= at_ms < self.to_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One row: the columns of gpu_endpoints.csv that a sweep knows, and what it says about itself."""

    measured_at: dt.datetime
    workload: str
    concurrency: int
    samples_ok: int
    output_speed_tps_user_p50: float | None
    throughput_tps: float | None
    throughput_in_tps: float | None
    ttft_ms_p50: float | None
    ttft_ms_p95: float | None
    client_lag_ms: float | None
    """The worst lateness of our own event loop: above 5 ms the client may be what saturates."""
    requests: int
    window_s: float
    figures: dict[str, Figure] = field(default_factory=dict)
    """METRICS × STATISTICS by `metric_statistic`, then success_rate and uptime. P95 is null below 20 values."""
    outcomes: dict[str, int] = field(default_factory=dict)
    exclusions: dict[str, int] = field(default_factory=dict)
    """Why requests were kept out of figures, with how many."""
    window: Window | None = field(default=None, repr=False)
    samples: tuple[LevelSample, ...] = field(default=(), repr=False)

    @property
    def is_client_bound(self) -> bool:
        """Whether our own event loop was late enough to hold the endpoint back: over 5 ms, and 1 % of a request."""
        if self.client_lag_ms is None or self.client_lag_ms <= LAG_LIMIT_MS:
            return False
        if not self.samples_ok:
            return True
        request_ms = 1000 * self.concurrency * self.window_s / self.samples_ok
        return self.client_lag_ms > request_ms * LAG_SHARE


def sum_up(
    samples: Sequence[LevelSample],
    window: Window,
    *,
    measured_at: dt.datetime,
    workload: str,
    concurrency: int,
) -> Level:
    """The level from its requests alone, so that published requests give it back."""
    ok = [one for one in samples if one.is_ok]
    working = [one for one in samples if one.made_tokens]
    produced = math.fsum(one.window_tokens for one in working)
    read = sum(one.result.input_tokens or 0 for one in working if is_read_inside(one, window))
    waits = values_of(samples, "ttft_ms", window)
    outcomes = Counter(one.result.outcome for one in samples)
    return Level(
        measured_at=measured_at,
        workload=workload,
        concurrency=concurrency,
        samples_ok=len(ok),
        output_speed_tps_user_p50=percentile(values_of(samples, "output_speed_tps", window), 0.5),
        throughput_tps=produced / window.seconds if produced and window.seconds > 0 else None,
        throughput_in_tps=read / window.seconds if working and window.seconds > 0 else None,
        ttft_ms_p50=percentile(waits, 0.5),
        ttft_ms_p95=percentile(waits, 0.95),
        client_lag_ms=max(
            (one.result.client_lag_ms for one in samples if one.result.client_lag_ms is not None),
            default=None,
        ),
        requests=len(samples),
        window_s=window.seconds,
        figures=figures_of(samples, window)
        | {"success_rate": success_rate(outcomes), "uptime": uptime(outcomes)},
        outcomes=dict(sorted(outcomes.items())),
        exclusions=dict(sorted(Counter(filter(None, (o.result.exclusion_reason for o in samples))).items())),
        window=window,
        samples=tuple(samples),
    )


def is_read_inside(one: LevelSample, window: Window) -> bool:
    """Whether its prompt was taken in within the window: that ends with the first token."""
    ttft_ms = one.result.ttft_ms
    return ttft_ms is not None and window.holds(one.sent_ms + ttft_ms)


def figures_of(samples: Sequence[LevelSample], window: Window) -> dict[str, Figure]:
    found: dict[str, Figure] = {}
    for metric in METRICS:
        spread = spread_of(values_of(samples, metric, window))
        found |= {f"{metric}_{statistic}": value for statistic, value in spread.items()}
    return found


def spread_of(values: Sequence[float]) -> dict[str, Figure]:
    ordered = sorted(values)
    spread: dict[str, Figure] = {"samples": len(ordered)}
    spread |= {name: percentile(ordered, share) for name, share in PERCENTILES.items()}
    if len(ordered) < P95_HIDDEN_BELOW:
        spread["p95"] = None
    spread["p50_low"], spread["p50_high"] = median_interval(ordered)
    return spread


def values_of(samples: Sequence[LevelSample], metric: str, window: Window) -> list[float]:
    """What enters the percentiles of one metric."""
    usable = [one for one in samples if one.is_ok and getattr(one.result, metric) is not None]
    if metric in SPEEDS:
        usable = [one for one in usable if not one.result.excluded]
    loaded = [one for one in usable if is_at_load(one, metric, window)]
    return [float(getattr(one.result, metric)) for one in loaded or usable]


def is_at_load(one: LevelSample, metric: str, window: Window) -> bool:
    if metric in WAITS:
        return one.sent_ms >= window.from_ms
    return one.window_share is not None and one.window_share >= MOSTLY
