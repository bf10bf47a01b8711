"""leaderboard.csv again, from samples, offerings and prices."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from . import figures
from .figures import MS_DECIMALS, RATE_DECIMALS, TPS_DECIMALS, Values, number_text
from .prices import PriceRow, blended, price_in_force, price_rows
from .reading import Published

OURS = frozenset({"auth", "billing", "bad_request", "not_found", "capability", "ours"})
DOWN = frozenset({"server_error", "timeout", "stream_broken", "empty"})
STANDING_DAYS = 14
STALE_AFTER = dt.timedelta(hours=12)
Key = tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Row:
    """One offering at one place under one workload, before its digits are written."""

    offering_id: str
    probe_location: str
    workload: str
    simulated: str
    is_active: bool
    speeds: Values
    waits: Values
    price: PriceRow | None
    standing: str
    freshness: str
    cells: dict[str, str]
    ranks: dict[str, str] = field(default_factory=dict)

    @property
    def is_ranked(self) -> bool:
        return self.is_active and self.standing != "provisional" and self.freshness in ("fresh", "late")

    @property
    def is_provisional(self) -> bool:
        return self.is_active and self.standing == "provisional" and self.freshness in ("fresh", "late")

    @property
    def speed(self) -> float | None:
        return figures.percentile(self.speeds, 0.5)

    @property
    def wait(self) -> float | None:
        return figures.percentile(self.waits, 0.5)

    @property
    def blended(self) -> Decimal | None:
        return blended(self.price)


def recomputed_board(published: Published) -> dict[Key, dict[str, str]]:
    """The cells of every row by (offering, location, workload); nothing on an empty leaderboard."""
    if published.leaderboard.empty:
        return {}
    first = published.leaderboard.iloc[0]
    as_of = dt.datetime.fromisoformat(first["as_of"])
    window = dt.timedelta(hours=int(first["window_hours"]))
    rows = window_rows(published, as_of=as_of, window=window)
    groups: defaultdict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.probe_location, row.workload, row.simulated].append(row)
    for (location, workload, simulated), group in groups.items():
        set_ranks([row for row in group if row.is_ranked])
        seed = f"{as_of:%Y-%m-%dT%H:%M:%SZ} {location} {workload} {simulated == 'true'}"
        set_frontiers(group, seed=seed)
    return {(r.offering_id, r.probe_location, r.workload): r.cells | r.ranks for r in rows}


def window_rows(published: Published, *, as_of: dt.datetime, window: dt.timedelta) -> list[Row]:
    samples = published.samples[~published.samples["sample_id"].isin(published.late_samples)]
    warm = samples[(samples["connection_kind"] == "warm") & (samples["scheduled_at"] <= as_of)]
    inside = warm[warm["scheduled_at"] > as_of - window]
    longer = warm[warm["scheduled_at"] > as_of - max(window, dt.timedelta(days=STANDING_DAYS))]
    active = dict(zip(published.offerings["offering_id"], published.offerings["probe_state"], strict=True))
    prices = price_rows(published.prices)
    rows = []
    for key, own in newest_versions(inside).items():
        offering_id = key[0]
        same = longer[
            (longer["offering_id"] == offering_id)
            & (longer["probe_location"] == key[1])
            & (longer["workload"] == key[2])
            & (longer["workload_version"] == own["workload_version"].iloc[0])
            & (longer["methodology_version"] == own["methodology_version"].iloc[0])
        ]
        rows.append(
            row_of(
                key,
                own,
                same,
                is_active=active.get(offering_id) == "active",
                price=price_in_force(prices.get(offering_id, []), as_of),
                as_of=as_of,
                interval=published.interval_of(offering_id, key[2]),
            )
        )
    return sorted(rows, key=lambda r: (r.offering_id, r.probe_location, r.workload))


def newest_versions(samples: pd.DataFrame) -> dict[Key, pd.DataFrame]:
    """The samples of each series; of several versions only the newest is shown."""
    newest: dict[Key, tuple[Any, pd.DataFrame]] = {}
    columns = ["offering_id", "probe_location", "workload", "workload_version", "methodology_version"]
    for (offering, location, workload, version, method), own in samples.groupby(columns):
        age = tuple(int(part) for part in str(method).split(".") if part.isdigit()), int(str(version))
        place = str(offering), str(location), str(workload)
        if place not in newest or age > newest[place][0]:
            newest[place] = (age, own)
    return {place: own for place, (_, own) in newest.items()}


def ordered(samples: pd.DataFrame, column: str) -> Values:
    values = samples[column].to_numpy(dtype=np.float64)
    return np.sort(values[~np.isnan(values)])


def row_of(
    key: Key,
    samples: pd.DataFrame,
    longer: pd.DataFrame,
    *,
    is_active: bool,
    price: PriceRow | None,
    as_of: dt.datetime,
    interval: dt.timedelta,
) -> Row:
    counted = samples[is_counted(samples)]
    ok = counted[counted["outcome"] == "ok"]
    timed = ok[ok["excluded"] == "false"]
    speeds, waits = ordered(timed, "output_speed_tps"), ordered(ok, "ttft_ms")
    successes = longer[is_counted(longer) & (longer["outcome"] == "ok")]
    window_standing, standing = standing_of(ok), standing_of(successes)
    # A window that makes a row official settles it; its last success is then the window's own, which is the same.
    if window_standing == "official":
        standing = window_standing
    last_ok = successes["started_at"].max() if len(successes) else None
    freshness = freshness_of(last_ok, as_of=as_of, interval=interval)
    cells = {
        "workload_version": samples["workload_version"].iloc[0],
        "methodology_version": samples["methodology_version"].iloc[0],
        "simulated": "true" if (samples["simulated"] == "true").any() else "false",
        "samples_ok": str(len(ok)),
        "speed_samples": str(len(speeds)),
        "ttft_samples": str(len(waits)),
        **reliability_cells(Counter(counted["outcome"])),
        **percentile_cells(speeds, waits, ordered(ok, "ttfat_ms")),
        **price_cells(price),
        "last_ok_at": "" if last_ok is None else instant_text(last_ok),
        "freshness": freshness,
        "standing": standing,
    }
    return Row(
        offering_id=key[0],
        probe_location=key[1],
        workload=key[2],
        simulated=cells["simulated"],
        is_active=is_active,
        speeds=speeds,
        waits=waits,
        price=price,
        standing=standing,
        freshness=freshness,
        cells=cells,
    )


def is_counted(samples: pd.DataFrame) -> pd.Series[bool]:
    """A sample excluded from all counts nowhere; one excluded from speed counts in everything else."""
    return (samples["excluded"] == "false") | (samples["excluded_from"] == "speed")


def reliability_cells(outcomes: Counter[str]) -> dict[str, str]:
    ok = outcomes["ok"]
    attempts = sum(count for outcome, count in outcomes.items() if outcome not in OURS)
    answered = ok + sum(outcomes[outcome] for outcome in DOWN)
    return {
        "success_rate": number_text(ok / attempts if attempts else None, RATE_DECIMALS),
        "uptime": number_text(ok / answered if answered else None, RATE_DECIMALS),
    }


def percentile_cells(speeds: Values, waits: Values, answer_waits: Values) -> dict[str, str]:
    cells = {
        "ttfat_ms_p50": number_text(figures.percentile(answer_waits, 0.5), MS_DECIMALS),
        "output_speed_tps_p95": number_text(figures.upper_tail(speeds), TPS_DECIMALS),
        "ttft_ms_p95": number_text(figures.upper_tail(waits), MS_DECIMALS),
    }
    for measure, values, decimals in (
        ("output_speed_tps", speeds, TPS_DECIMALS),
        ("ttft_ms", waits, MS_DECIMALS),
    ):
        for name, fraction in (("p05", 0.05), ("p25", 0.25), ("p50", 0.5), ("p75", 0.75)):
            cells[f"{measure}_{name}"] = number_text(figures.percentile(values, fraction), decimals)
        low, high = figures.median_interval(values)
        cells[f"{measure}_p50_low"] = number_text(low, decimals)
        cells[f"{measure}_p50_high"] = number_text(high, decimals)
    return cells


def price_cells(price: PriceRow | None) -> dict[str, str]:
    return {
        "input_usd_per_mtok": number_text(price.input if price else None),
        "output_usd_per_mtok": number_text(price.output if price else None),
        "blended_usd_per_mtok": number_text(blended(price)),
        "price_verified_at": price.verified_at if price else "",
    }


def instant_text(instant: dt.datetime) -> str:
    precise = instant.microsecond >= 1000
    return instant.replace(tzinfo=None).isoformat(timespec="milliseconds" if precise else "seconds") + "Z"


def standing_of(successes: pd.DataFrame) -> str:
    if successes.empty:
        return "provisional"
    slots = successes["scheduled_at"]
    span, blocks = slots.max() - slots.min(), set(slots.dt.hour // 4)
    if len(slots) >= 20 and span >= dt.timedelta(hours=66) and len(blocks) == 6:
        return "official"
    if len(slots) >= 8 and span >= dt.timedelta(hours=20):
        return "preliminary"
    return "provisional"


def freshness_of(last_ok: dt.datetime | None, *, as_of: dt.datetime, interval: dt.timedelta) -> str:
    if last_ok is None:
        return "no_data"
    age = as_of - last_ok
    if age > max(STALE_AFTER, 4 * interval):
        return "stale"
    return "late" if age > 2 * interval else "fresh"


def set_ranks(ranked: list[Row]) -> None:
    """Competition ranks of the ranked rows of one group, and the best and worst their intervals allow."""
    intervals = {id(row): figures.bounds(row.speeds) for row in ranked if len(row.speeds)}
    for row in ranked:
        if row.speed is not None:
            row.ranks["rank_speed"] = str(1 + sum((o.speed or 0) > row.speed for o in ranked))
            low, high = intervals[id(row)]
            others = [intervals[id(o)] for o in ranked if o is not row and id(o) in intervals]
            row.ranks["rank_speed_best"] = str(1 + sum(other[0] > high for other in others))
            row.ranks["rank_speed_worst"] = str(1 + sum(other[1] > low for other in others))
        if row.wait is not None:
            row.ranks["rank_ttft"] = str(1 + sum(o.wait is not None and o.wait < row.wait for o in ranked))
        if row.blended is not None:
            cheaper = sum(o.blended is not None and float(o.blended) < float(row.blended) for o in ranked)
            row.ranks["rank_price"] = str(1 + cheaper)


def set_frontiers(group: list[Row], *, seed: str) -> None:
    """Among the ranked rows; where none is ranked yet, among the provisional ones."""
    compared = [r for r in group if r.is_ranked] or [r for r in group if r.is_provisional]
    soon = {r.offering_id: (r.speed, -r.wait) for r in compared if r.speed is not None and r.wait is not None}
    cheap = {
        r.offering_id: (r.speed, -r.blended)
        for r in compared
        if r.speed is not None and r.blended is not None
    }
    shares = figures.frontier_shares([(r.offering_id, r.speeds, r.waits) for r in compared], seed=seed)
    for row in group:
        own = soon.get(row.offering_id)
        beaten_by = sorted(id_ for id_, pair in soon.items() if own and figures.beats(pair, own))
        price = cheap.get(row.offering_id)
        beaten_on_price = price and any(figures.beats(pair, price) for pair in cheap.values())
        row.ranks |= {
            "frontier_speed_ttft": "true" if own and not beaten_by else "false",
            "frontier_speed_price": "true" if price and not beaten_on_price else "false",
            "dominated_by": beaten_by[0] if beaten_by else "",
            "frontier_speed_ttft_share": number_text(shares.get(row.offering_id), RATE_DECIMALS),
        }
