"""The shared stats cases, run through the functions the snapshot is made with."""

from __future__ import annotations

import datetime as dt
import statistics
from collections import Counter, defaultdict
from decimal import Decimal
from typing import Any

import pytest

from leaderboard.ranking.percentiles import median, median_of_medians, percentile, upper_tail, usable
from leaderboard.ranking.ranks import competition_ranks
from leaderboard.ranking.standing import freshness_of
from probes.reliability import success_rate
from tests.ranking.cases import differences, load_cases, number

SETTLED = {"percentile_method", "rank_style", "dedupe_keep"}
OUTCOMES = {"auth": "auth", "overloaded": "server_error", "server": "server_error", "connect": "network"}


def summary(given: Any) -> dict[str, Any]:
    parse = Decimal if given.get("type") == "decimal" else float
    values = usable(None if v is None else parse(number(v)) for v in given["values"])
    return {
        "n": len(values),
        "median": median(values),
        "min": percentile(values, 0),
        "max": percentile(values, 1),
        "p95": upper_tail(values),
        "p99": None,
        "p99_at_least": 29.0 if (percentile(values, 0.99) or 0) >= 29.0 else None,
        "stdev": statistics.stdev(values) if len(values) > 1 else None,
    }


def pair(given: Any) -> dict[str, Any]:
    ok = [r for r in given["runs"] if r["outcome"] == "ok"]
    outcomes = Counter(outcome_of(r) for r in given["runs"])
    speeds = usable(r["output_speed_tps"] for r in ok)
    return {
        "n_ok": len(ok),
        "n_total": len(given["runs"]),
        "n_speed": len(speeds),
        "median_ttft_ms": median(usable(r["ttft_ms"] for r in ok)),
        "median_speed_tps": median(speeds),
        "success_rate": success_rate(outcomes),
    }


def outcome_of(run: Any) -> str:
    if run["outcome"] == "ok":
        return "ok"
    if "probe host" in run.get("cause", ""):
        return "ours"
    detail = run["outcome"].removeprefix("error:")
    return "timeout" if detail.startswith("timeout") else OUTCOMES[detail]


def window(given: Any) -> dict[str, Any]:
    now = dt.datetime.fromisoformat(given["now"])
    inside = [
        r
        for r in given["runs"]
        if now - dt.timedelta(hours=given["hours"]) < dt.datetime.fromisoformat(r["at"]) <= now
    ]
    last = max(dt.datetime.fromisoformat(r["at"]) for r in given["runs"] if r["outcome"] == "ok")
    return {
        "n_ok": len(inside),
        "median_speed_tps": median(usable(r["output_speed_tps"] for r in inside)),
        "stale": freshness_of(last, as_of=now, interval_s=10_800) == "stale",
    }


def by_provider(given: Any) -> dict[str, Any]:
    speeds: defaultdict[str, list[float]] = defaultdict(list)
    for row in given["rows"]:
        if row["provider"] and row["active"]:
            speeds[row["provider"]].append(row["speed"])
    return {provider: median_of_medians(values) for provider, values in speeds.items()}


def provider(given: Any) -> dict[str, Any]:
    medians = [median(usable(values)) for values in given["models"].values()]
    pooled = usable(v for values in given["models"].values() for v in values)
    return {"median_of_medians": median_of_medians(medians), "pooled_median": median(pooled)}


def dedupe(given: Any) -> dict[str, Any]:
    kept: dict[tuple[int, str], float] = {}
    for run in given["runs"]:
        kept.setdefault((run["pair"], run["slot"]), run["speed"])  # as insert … on conflict do nothing
    return {"kept": len(kept), "median_speed_tps": median(usable(kept.values()))}


def clock(given: Any) -> dict[str, Any]:
    stamps = given["monotonic"]
    window_s = stamps["last"] - stamps["first"]
    return {
        "ttft_ms": round((stamps["first"] - stamps["sent"]) * 1000, 3),
        "output_speed_tps": round((given["tokens"] - given["first_chunk_tokens"]) / window_s, 4),
    }


def workload(given: Any) -> dict[str, Any]:
    speeds: defaultdict[str, list[float]] = defaultdict(list)
    for run in given["runs"]:
        speeds[run["workload"]].append(run["speed"])
    return {name: median(usable(values)) for name, values in speeds.items()}


def rank(given: Any) -> dict[str, Any]:
    ids, values = list(given["values"]), list(given["values"].values())
    return dict(zip(ids, competition_ranks(values, higher_is_better=given["desc"]), strict=True))


OPS = {f.__name__: f for f in (summary, pair, window, by_provider, provider, dedupe, clock, workload, rank)}


@pytest.mark.parametrize("case", load_cases("stats"), ids=lambda case: case["id"])
def test_stats_case(case: Any) -> None:
    got = OPS[case["input"]["op"]](case["input"])

    assert differences(case, got, SETTLED) == []
