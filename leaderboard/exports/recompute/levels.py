"""gpu_levels.csv again, from the published requests of the sweeps: a second writing of the methodology's rules.

Only sweeps whose requests are among the files are counted again: the dataset holds those of each endpoint's newest.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd

from .figures import (
    MS_DECIMALS,
    RATE_DECIMALS,
    TPS_DECIMALS,
    Values,
    median_interval,
    number_text,
    percentile,
    upper_tail,
)
from .reading import Published

LEVEL_KEY = ("endpoint_id", "measured_at", "concurrency")
SWEEP = ["endpoint_id", "measured_at"]
BEGUN_AFTER_RAMP = ("ttft_ms", "ttfat_ms", "thinking_ms")
MOSTLY_IN_WINDOW = (
    "output_speed_tps",
    "answer_speed_tps",
    "inter_token_ms",
    "response_time_500_ms",
    "event_gap_p50_ms",
    "event_gap_p95_ms",
    "end_to_end_ms",
)
OF_SPEED = MOSTLY_IN_WINDOW[:4]
OURS = frozenset({"auth", "billing", "not_found", "capability", "bad_request", "ours"})
DOWN = ("server_error", "timeout", "stream_broken", "empty")


def told_twice(published: Published) -> pd.DataFrame:
    """The levels of sweeps whose requests were published too."""
    levels, samples = published.gpu_levels, published.gpu_samples
    if levels.empty or samples.empty:
        return levels.iloc[:0]
    sweeps = set(samples[SWEEP].itertuples(index=False, name=None))
    kept = [tuple(row) in sweeps for row in levels[SWEEP].itertuples(index=False, name=None)]
    return levels[kept]


def recomputed_levels(published: Published) -> dict[tuple[str, ...], dict[str, str]]:
    """The cells of every such level by key."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    levels = told_twice(published)
    if levels.empty:
        return found
    by_level = dict(list(published.gpu_samples.groupby(list(LEVEL_KEY))))
    for row in levels.to_dict("records"):
        key = tuple(str(row[name]) for name in LEVEL_KEY)
        own = by_level.get(key, published.gpu_samples.iloc[:0])
        found[key] = level_cells(own, float(row["window_from_ms"]), float(row["window_to_ms"]))
    return found


def level_cells(samples: pd.DataFrame, from_ms: float, to_ms: float) -> dict[str, str]:
    is_ok = samples["outcome"] == "ok"
    usable = samples[is_ok & (samples["excluded_from"] != "all")]
    working = samples[
        is_ok & ((samples["excluded_from"] != "all") | (samples["exclusion_reason"] == "probe_fault"))
    ]
    seconds = (to_ms - from_ms) / 1000
    made = math.fsum(numbers(working, "window_tokens"))
    first_token = numbers(working, "sent_ms") + numbers(working, "ttft_ms")
    read = numbers(working, "input_tokens")[(first_token >= from_ms) & (first_token < to_ms)]
    lags = numbers(samples, "client_lag_ms")
    cells = {
        "samples_total": str(len(samples)),
        "samples_ok": str(len(usable)),
        "samples_failed": str(len(samples) - int(is_ok.sum())),
        "throughput_tps": number_text(made / seconds if made else None, TPS_DECIMALS),
        "throughput_in_tps": number_text(
            float(np.nansum(read)) / seconds if len(working) else None, TPS_DECIMALS
        ),
        "client_lag_ms": number_text(None if np.isnan(lags).all() else float(np.nanmax(lags)), MS_DECIMALS),
        "exclusions": counted(samples["exclusion_reason"]),
        **outcome_cells(samples["outcome"]),
    }
    for metric in BEGUN_AFTER_RAMP + MOSTLY_IN_WINDOW:
        cells |= metric_cells(metric, values_of(usable, metric, from_ms))
    return cells


def numbers(samples: pd.DataFrame, column: str) -> Values:
    """Python's own float(): it reads back exactly the number that was written; NaN where empty."""
    return np.array([float(text) if text else math.nan for text in samples[column]], dtype=np.float64)


def values_of(usable: pd.DataFrame, metric: str, from_ms: float) -> Values:
    """In rising order: those at the level's load, or all where none was."""
    if metric in OF_SPEED:
        usable = usable[usable["excluded"] == "false"]
    values = numbers(usable, metric)
    if metric in BEGUN_AFTER_RAMP:
        at_load = numbers(usable, "sent_ms") >= from_ms
    else:
        at_load = numbers(usable, "window_share") >= 0.5
    known = ~np.isnan(values)
    chosen = values[known & at_load]
    return np.sort(chosen if len(chosen) else values[known])


def metric_cells(metric: str, ordered: Values) -> dict[str, str]:
    low, high = median_interval(ordered)
    figures = {
        "p05": percentile(ordered, 0.05),
        "p25": percentile(ordered, 0.25),
        "p50": percentile(ordered, 0.5),
        "p75": percentile(ordered, 0.75),
        "p95": upper_tail(ordered),
        "p50_low": low,
        "p50_high": high,
    }
    decimals = TPS_DECIMALS if metric.endswith("_tps") else MS_DECIMALS
    cells = {f"{metric}_{name}": number_text(value, decimals) for name, value in figures.items()}
    return {f"{metric}_samples": str(len(ordered)), **cells}


def outcome_cells(outcomes: pd.Series[str]) -> dict[str, str]:
    counts = Counter(outcomes)
    ok = counts["ok"]
    attempts = sum(n for outcome, n in counts.items() if outcome not in OURS)
    judged = ok + sum(counts[outcome] for outcome in DOWN)
    return {
        "outcomes": counted(outcomes),
        "success_rate": number_text(ok / attempts if attempts else None, RATE_DECIMALS),
        "uptime": number_text(ok / judged if judged else None, RATE_DECIMALS),
    }


def counted(words: pd.Series[str]) -> str:
    return "; ".join(f"{word}:{n}" for word, n in sorted(Counter(words).items()) if word)
