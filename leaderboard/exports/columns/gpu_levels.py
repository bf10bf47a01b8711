"""Every metric of a probe at every level of a sweep: what gpu_endpoints has no columns for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

from probes.level import METRICS

from .column import (
    FROM_ONE,
    NOT_NEGATIVE,
    OFFERING_REFERENCE,
    POSITIVE,
    SHARE,
    SIMULATED,
    Column,
    Table,
    Value,
    or_none,
)

WORDS = {
    "ttft_ms": "time to first token, of requests begun after the ramp",
    "ttfat_ms": "time to first answer token, of requests begun after the ramp",
    "thinking_ms": "from the first token to the first answer token, of requests begun after the ramp",
    "output_speed_tps": "output speed of one request, of answers mostly within the window",
    "answer_speed_tps": "speed of the answer alone, of answers mostly within the window",
    "inter_token_ms": "time between two tokens of one request, of answers mostly within the window",
    "response_time_500_ms": "time to the 500th answer token, of answers mostly within the window",
    "event_gap_p50_ms": "a request's median gap between events, of answers mostly within the window",
    "event_gap_p95_ms": "a request's long gap between events, of answers mostly within the window",
    "end_to_end_ms": "request sent to its end, of answers mostly within the window",
}
STATISTICS = {
    "p05": "5th percentile",
    "p25": "25th percentile",
    "p50": "median",
    "p75": "75th percentile",
    "p95": "95th percentile; empty below 20 values",
    "p50_low": "low bound of the median's 95 % interval; empty below 6 values",
    "p50_high": "high bound of the median's 95 % interval; empty below 6 values",
}


def figure(name: str) -> Callable[[Any], Value]:
    """A getter for a figure of the level; empty where the sweep is older than the figure."""
    return lambda row: row.figures.get(name)


def counted(name: str) -> Callable[[Any], Value]:
    """`ok:8; timeout:1`, by name; empty where none was counted."""
    return lambda row: "; ".join(f"{k}:{n}" for k, n in sorted((row.figures.get(name) or {}).items())) or None


def metric_columns() -> Iterator[Column]:
    for metric in METRICS:
        unit = "tokens/s" if metric.endswith("_tps") else "ms"
        bounds = NOT_NEGATIVE if metric == "thinking_ms" else POSITIVE
        yield Column(
            f"{metric}_samples",
            "integer",
            f"values behind the figures of {metric}",
            unit="count",
            bounds=NOT_NEGATIVE,
            get=figure(f"{metric}_samples"),
        )
        for statistic, words in STATISTICS.items():
            name = f"{metric}_{statistic}"
            yield Column(
                name, "number", f"{WORDS[metric]}: {words}", unit=unit, bounds=bounds, get=figure(name)
            )


GPU_LEVELS = Table(
    name="gpu_levels",
    title="Levels of sweeps, every metric",
    row_is="one per endpoint, sweep and concurrency level, excluded ones with their reason",
    key=("endpoint_id", "measured_at", "concurrency"),
    references=(OFFERING_REFERENCE,),
    columns=(
        Column("endpoint_id", "string", "public label, as in gpu_endpoints", required=True),
        Column("offering_id", "string", "the offering these GPUs serve", required=True),
        Column("measured_at", "datetime", "when the sweep started", unit="UTC", required=True),
        Column(
            "concurrency",
            "integer",
            "requests kept in flight",
            unit="requests",
            required=True,
            bounds=FROM_ONE,
        ),
        Column("workload", "string", "prompt and output limit, as the methodology defines it", required=True),
        Column("workload_version", "integer", "version of the workload", required=True, bounds=FROM_ONE),
        Column("methodology_version", "string", "version of the method", unit="semver", required=True),
        Column(
            "window_from_ms",
            "number",
            "end of the ramp, after the level began",
            unit="ms",
            bounds=NOT_NEGATIVE,
            get=figure("window_from_ms"),
        ),
        Column(
            "window_to_ms",
            "number",
            "end of the phase, after the level began",
            unit="ms",
            bounds=POSITIVE,
            get=figure("window_to_ms"),
        ),
        Column(
            "samples_total",
            "integer",
            "requests sent, failures included",
            unit="count",
            bounds=NOT_NEGATIVE,
            get=figure("requests"),
        ),
        Column("samples_ok", "integer", "whole answers", unit="count", required=True, bounds=NOT_NEGATIVE),
        Column(
            "samples_failed",
            "integer",
            "requests without a whole answer",
            unit="count",
            required=True,
            bounds=NOT_NEGATIVE,
        ),
        Column("outcomes", "string", "how many ended how", unit="; separated", get=counted("outcomes")),
        Column(
            "exclusions",
            "string",
            "how many were kept out of figures, and why",
            unit="; separated",
            get=counted("exclusions"),
        ),
        Column(
            "success_rate",
            "number",
            "ok / all attempts whose fault was not ours",
            unit="0..1",
            bounds=SHARE,
            get=figure("success_rate"),
        ),
        Column(
            "uptime",
            "number",
            "ok / (ok + server_error + timeout + stream_broken + empty)",
            unit="0..1",
            bounds=SHARE,
            get=figure("uptime"),
        ),
        Column(
            "client_lag_ms",
            "number",
            "how late our own event loop was, at worst",
            unit="ms",
            bounds=NOT_NEGATIVE,
        ),
        Column("is_saturated", "boolean", "more requests at once gain under 5 % from here on", required=True),
        Column("excluded", "boolean", "true = kept here, left out of gpu_endpoints", required=True),
        Column("exclusion_reason", "string", "why", one_of=("client_lag",), get=or_none("exclusion_reason")),
        Column(
            "throughput_tps",
            "number",
            "output tokens of all requests together within the window",
            unit="output tokens/s, whole endpoint",
            bounds=POSITIVE,
        ),
        Column(
            "throughput_in_tps",
            "number",
            "prompt tokens of all requests together within the window",
            unit="prompt tokens/s, whole endpoint",
            bounds=NOT_NEGATIVE,
        ),
        *metric_columns(),
        Column("simulated", "boolean", SIMULATED, required=True, get=attrgetter("simulated")),
    ),
)
