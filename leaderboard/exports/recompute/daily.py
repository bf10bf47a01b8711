"""daily.csv again, from samples: all but how many probes the schedule wanted, which no sample can tell."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from . import figures
from .board import is_counted, newest_versions, ordered, reliability_cells
from .figures import MS_DECIMALS, TPS_DECIMALS, Values, number_text
from .reading import Published

DAILY_KEY = ("day", "offering_id", "probe_location", "workload", "methodology_version")
TOLD_APART = {
    "timeout": "errors_timeout",
    "rate_limited": "errors_rate_limited",
    "server_error": "errors_server",
}
MEASURES = (
    ("output_speed_tps", TPS_DECIMALS, True),
    ("ttft_ms", MS_DECIMALS, False),
    ("ttfat_ms", MS_DECIMALS, False),
    ("end_to_end_ms", MS_DECIMALS, False),
)


def recomputed_days(published: Published) -> dict[tuple[str, ...], dict[str, str]]:
    """The cells of every day's row by key, for the days that were published."""
    samples = published.samples
    warm = samples[samples["connection_kind"] == "warm"]
    day_of = warm["scheduled_at"].dt.strftime("%Y-%m-%d")
    wanted = warm[day_of.isin(published.daily["day"])]
    days: dict[tuple[str, ...], dict[str, str]] = {}
    for (day, method), own in wanted.groupby([day_of, "methodology_version"]):
        for (offering_id, location, workload), series in newest_versions(own).items():
            days[str(day), offering_id, location, workload, str(method)] = day_cells(series)
    return days


def day_cells(samples: pd.DataFrame) -> dict[str, str]:
    counted = samples[is_counted(samples)]
    ok = counted[counted["outcome"] == "ok"]
    timed = ok[ok["excluded"] == "false"]
    outcomes = Counter(counted["outcome"])
    errors = Counter[str]()
    for outcome, count in outcomes.items():
        if outcome != "ok":
            errors[TOLD_APART.get(outcome, "errors_other")] += count
    cells = {
        "samples_total": str(len(samples)),
        "samples_ok": str(len(ok)),
        "samples_excluded": str((samples["excluded"] == "true").sum()),
        "workload_version": samples["workload_version"].iloc[0],
        "connection_kind": "warm",
        "simulated": "true" if (samples["simulated"] == "true").any() else "false",
        **{name: str(errors[name]) for name in (*TOLD_APART.values(), "errors_other")},
        **reliability_cells(outcomes),
    }
    for measure, decimals, is_speed in MEASURES:
        cells |= measure_cells(measure, ordered(timed if is_speed else ok, measure), decimals)
    return cells


def measure_cells(measure: str, values: Values, decimals: int) -> dict[str, str]:
    cells = {
        f"{measure}_p{round(100 * fraction):02}": number_text(figures.percentile(values, fraction), decimals)
        for fraction in (0.05, 0.25, 0.5, 0.75)
    }
    cells[f"{measure}_p95"] = number_text(figures.upper_tail(values), decimals)
    if measure in ("output_speed_tps", "ttft_ms"):
        low, high = figures.median_interval(values)
        cells |= {
            f"{measure}_p50_low": number_text(low, decimals),
            f"{measure}_p50_high": number_text(high, decimals),
        }
    return cells
