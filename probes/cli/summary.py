"""Results → medians and percentiles, by the published rules: type 7, successes only, exclusions left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from probes.percentiles import percentile
from probes.result import ProbeResult

UPTIME_FAILURES = frozenset({"server_error", "timeout", "stream_broken", "empty"})
NEVER_SENT_DETAILS = frozenset({"dns", "connect", "tls"})
SPEED_METRICS = frozenset({"output_speed_tps", "answer_speed_tps", "response_time_500_ms"})
METRICS = (
    "ttft_ms", "ttfat_ms", "output_speed_tps", "answer_speed_tps", "end_to_end_ms", "response_time_500_ms",
    "event_gap_p50_ms", "event_gap_p95_ms", "connect_ms", "output_tokens", "client_lag_ms",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles of one metric over `n` values; None where there is no value."""

    n: int
    p5: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p95: float | None


def spread_of(values: Sequence[float]) -> Spread:
    return Spread(len(values), *(percentile(values, share) for share in (0.05, 0.25, 0.5, 0.75, 0.95)))


def values_of(results: Sequence[ProbeResult], metric: str) -> list[float]:
    """What enters the medians of one metric."""
    return [
        float(value)
        for result in results
        if result.outcome == "ok" and not _is_left_out(result, metric)
        if (value := getattr(result, metric)) is not None
    ]


def _is_left_out(result: ProbeResult, metric: str) -> bool:
    if not result.excluded:
        return False
    return result.excluded_from != "speed" or metric in SPEED_METRICS


def is_never_sent(result: ProbeResult) -> bool:
    """No byte of the request left: our own mistake, or no connection."""
    return result.outcome == "ours" or (result.outcome == "network" and result.detail in NEVER_SENT_DETAILS)


def summarise(results: Sequence[ProbeResult], wall_s: float) -> dict[str, object]:
    """The last JSON line's content."""
    outcomes = Counter(result.outcome for result in results)
    judged_up = outcomes["ok"] + sum(outcomes[name] for name in UPTIME_FAILURES)
    theirs = sum(1 for result in results if result.fault != "ours")
    tokens = sum(result.output_tokens or 0 for result in results if result.outcome == "ok")
    summary: dict[str, object] = {
        "requests": len(results),
        "ok": outcomes["ok"],
        "outcomes": dict(outcomes),
        "success_rate": outcomes["ok"] / theirs if theirs else None,
        "uptime": outcomes["ok"] / judged_up if judged_up else None,
        "excluded": sum(1 for result in results if result.excluded),
        "wall_s": round(wall_s, 3),
        "throughput_tps": tokens / wall_s if wall_s and tokens else None,
    }
    for metric in METRICS:
        spread = spread_of(values_of(results, metric))
        summary[metric] = {"n": spread.n, "p5": spread.p5, "p25": spread.p25, "p50": spread.p50, "p75": spread.p75,
                           "p95": spread.p95}  # fmt: skip
    return summary
