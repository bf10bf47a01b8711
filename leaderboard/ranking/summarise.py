"""Samples → one Snapshot: read the window once, judge, rank, take the frontiers, and publish all rows together.

The same samples give the same digits: nothing depends on the order of rows or on the clock, only on `as_of`.
"""

from __future__ import annotations

import datetime as dt
import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from decimal import Decimal
from operator import attrgetter
from typing import NamedTuple

from django.db import connection, transaction
from psycopg import sql

from leaderboard.catalogue.models import Offering
from leaderboard.catalogue.pricing import DEFAULT_BLEND_TEXT, blended_usd_per_mtok
from leaderboard.catalogue.queries import prices_in_force
from leaderboard.ranking.frontiers import comparable_groups, compared, frontier_marks
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.percentiles import percentile, upper_tail
from leaderboard.ranking.ranks import Interval, competition_ranks, rank_bounds
from leaderboard.ranking.resampling import Resampled, frontier_shares
from leaderboard.ranking.series import Series, read_successes, read_window
from leaderboard.ranking.standing import STANDING_WINDOW, freshness_of, is_ranked, standing_of
from probes.intervals import median_interval
from probes.reliability import success_rate, uptime
from probes.result import METHODOLOGY_VERSION
from probes.workloads import workload_interval_s

DEFAULT_WINDOW_HOURS = 72
MONEY_STEP = Decimal("1e-8")
LOOKS_BACK = (dt.timedelta(days=4), STANDING_WINDOW)
"""The first is long enough for a series that runs well, and a quarter of the reading."""


@dataclass(slots=True, kw_only=True)
class Draft:
    """A Summary in the making; field names are the table's columns but for the first three."""

    offering_id: str
    """The public one."""
    is_active: bool
    series: Series
    offering: int
    probe_location: str
    workload: str
    workload_version: int
    methodology_version: str
    simulated: bool
    samples_total: int
    samples_ok: int
    samples_excluded: int
    speed_samples: int
    ttft_samples: int
    outcomes: dict[str, int]
    exclusions: dict[str, int]
    success_rate: float | None
    uptime: float | None
    output_speed_tps_p05: float | None
    output_speed_tps_p25: float | None
    output_speed_tps_p50: float | None
    output_speed_tps_p75: float | None
    output_speed_tps_p95: float | None
    output_speed_tps_p50_low: float | None
    output_speed_tps_p50_high: float | None
    ttft_ms_p05: float | None
    ttft_ms_p25: float | None
    ttft_ms_p50: float | None
    ttft_ms_p75: float | None
    ttft_ms_p95: float | None
    ttft_ms_p50_low: float | None
    ttft_ms_p50_high: float | None
    ttfat_ms_p50: float | None
    ttfat_ms_p95: float | None
    end_to_end_ms_p50: float | None
    response_time_500_ms_p50: float | None
    last_ok_at: dt.datetime | None
    last_sample_at: dt.datetime
    freshness: str = "no_data"
    standing: str = "provisional"
    input_usd_per_mtok: Decimal | None = None
    output_usd_per_mtok: Decimal | None = None
    cache_read_usd_per_mtok: Decimal | None = None
    blended_usd_per_mtok: Decimal | None = None
    blend: str = DEFAULT_BLEND_TEXT
    price_verified_at: dt.datetime | None = None
    rank_speed: int | None = None
    rank_speed_best: int | None = None
    rank_speed_worst: int | None = None
    rank_ttft: int | None = None
    rank_price: int | None = None
    frontier_speed_ttft: bool = False
    frontier_speed_price: bool = False
    frontier_speed_ttft_share: float | None = None
    dominated_by: str = field(default="")

    @property
    def is_ranked(self) -> bool:
        return self.is_active and is_ranked(self.standing, self.freshness)

    @property
    def is_provisional(self) -> bool:
        return self.is_active and self.standing == "provisional" and self.freshness in ("fresh", "late")


NOT_COLUMNS = ("offering_id", "is_active", "series", "offering")
TALLIES = ("outcomes", "exclusions")
VALUES = tuple(f.name for f in fields(Draft) if f.name not in NOT_COLUMNS + TALLIES)
values_of, tallies_of = attrgetter(*VALUES), attrgetter(*TALLIES)


def make_snapshot(
    *,
    as_of: dt.datetime,
    window_hours: int = DEFAULT_WINDOW_HOURS,
    remake: bool = False,
    is_pinned: bool = False,
) -> Snapshot:
    """The snapshot of an instant (its whole second), all or nothing; the one that is there already, unless `remake`."""
    as_of = as_of.astimezone(dt.UTC).replace(microsecond=0)
    if not remake:
        existing = Snapshot.objects.filter(as_of=as_of, window_hours=window_hours, is_complete=True).first()
        if existing is not None:
            return existing
    with collector_paused():
        drafts = draft_rows(as_of=as_of, window_hours=window_hours)
        return publish(drafts, as_of=as_of, window_hours=window_hours, is_pinned=is_pinned)


@contextmanager
def collector_paused() -> Iterator[None]:
    """No search for cycles while many small objects are made, none of them in a cycle: a quarter of the work."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def draft_rows(*, as_of: dt.datetime, window_hours: int) -> list[Draft]:
    """Every row of the snapshot, judged and ranked; five queries at most, whatever the history."""
    series = read_window(as_of=as_of, hours=window_hours)
    offerings = offering_facts({one.key.offering for one in series})
    drafts = sorted(
        (draft_of(one, offerings[one.key.offering]) for one in series),
        key=lambda d: (d.offering_id, d.probe_location, d.workload),
    )
    judge(drafts, offerings, as_of=as_of, window=dt.timedelta(hours=window_hours))
    set_prices(drafts, as_of)
    for (location, workload, simulated), group in comparable_groups(drafts).items():
        set_ranks([draft for draft in group if draft.is_ranked])
        set_frontiers(group, seed=f"{as_of:%Y-%m-%dT%H:%M:%SZ} {location} {workload} {simulated}")
    return drafts


class OfferingFacts(NamedTuple):
    """What a ranking needs to know of an offering."""

    public_id: str
    probe_state: str
    interval_s: int


def offering_facts(ids: set[int]) -> dict[int, OfferingFacts]:
    rows = Offering.objects.filter(pk__in=ids).values_list("pk", "public_id", "probe_state", "interval_s")
    return {pk: OfferingFacts(public_id, state, interval_s) for pk, public_id, state, interval_s in rows}


def draft_of(series: Series, offering: OfferingFacts) -> Draft:
    speeds, ttfts, ttfats = series.speeds_tps, series.ttfts_ms, series.ttfats_ms
    speed_low, speed_high = median_interval(speeds)
    ttft_low, ttft_high = median_interval(ttfts)
    return Draft(
        offering_id=offering.public_id,
        is_active=offering.probe_state == "active",
        series=series,
        offering=series.key.offering,
        probe_location=series.key.probe_location,
        workload=series.key.workload,
        workload_version=series.key.workload_version,
        methodology_version=series.key.methodology_version,
        simulated=series.simulated,
        samples_total=series.samples_total,
        samples_ok=series.outcomes.get("ok", 0),
        samples_excluded=series.samples_excluded,
        speed_samples=len(speeds),
        ttft_samples=len(ttfts),
        outcomes=dict(sorted(series.outcomes.items())),
        exclusions=dict(sorted(series.exclusions.items())),
        success_rate=success_rate(series.outcomes),
        uptime=uptime(series.outcomes),
        output_speed_tps_p05=percentile(speeds, 0.05),
        output_speed_tps_p25=percentile(speeds, 0.25),
        output_speed_tps_p50=percentile(speeds, 0.5),
        output_speed_tps_p75=percentile(speeds, 0.75),
        output_speed_tps_p95=upper_tail(speeds),
        output_speed_tps_p50_low=speed_low,
        output_speed_tps_p50_high=speed_high,
        ttft_ms_p05=percentile(ttfts, 0.05),
        ttft_ms_p25=percentile(ttfts, 0.25),
        ttft_ms_p50=percentile(ttfts, 0.5),
        ttft_ms_p75=percentile(ttfts, 0.75),
        ttft_ms_p95=upper_tail(ttfts),
        ttft_ms_p50_low=ttft_low,
        ttft_ms_p50_high=ttft_high,
        ttfat_ms_p50=percentile(ttfats, 0.5),
        ttfat_ms_p95=upper_tail(ttfats),
        end_to_end_ms_p50=percentile(series.end_to_ends_ms, 0.5),
        response_time_500_ms_p50=percentile(series.response_times_500_ms, 0.5),
        last_ok_at=series.last_ok_at,
        last_sample_at=series.last_sample_at,
    )


def judge(
    drafts: Sequence[Draft], offerings: dict[int, OfferingFacts], *, as_of: dt.datetime, window: dt.timedelta
) -> None:
    """Standing over the last 14 days and freshness.

    A window that makes a row official settles it, so each longer look back is only for the others.
    """
    for draft in drafts:
        draft.standing = standing_of(draft.series.successes)
    for look_back in (look for look in LOOKS_BACK if look > window):
        look_further(drafts, as_of=as_of, window=look_back)
    for draft in drafts:
        interval_s = workload_interval_s(draft.workload, offerings[draft.offering].interval_s)
        draft.freshness = freshness_of(draft.last_ok_at, as_of=as_of, interval_s=interval_s)


def look_further(drafts: Sequence[Draft], *, as_of: dt.datetime, window: dt.timedelta) -> None:
    """Standing and last success over a longer window for those that are not official yet; at most one query."""
    open_ = [draft for draft in drafts if draft.standing != "official"]
    longer = read_successes((d.offering for d in open_), as_of=as_of, window=window) if open_ else {}
    for draft in open_:
        successes, last_ok_at = longer.get(draft.series.key, (draft.series.successes, draft.last_ok_at))
        draft.standing, draft.last_ok_at = standing_of(successes), last_ok_at


def set_prices(drafts: Sequence[Draft], as_of: dt.datetime) -> None:
    """List prices in force at `as_of`, without a tier; one query."""
    prices = prices_in_force({draft.offering for draft in drafts}, as_of)
    blends = {offering: blended_usd_per_mtok(price) for offering, price in prices.items()}
    for draft in drafts:
        price, blended = prices.get(draft.offering), blends.get(draft.offering)
        if price is None:
            continue
        draft.input_usd_per_mtok = price.input_usd_per_mtok
        draft.output_usd_per_mtok = price.output_usd_per_mtok
        draft.cache_read_usd_per_mtok = price.cache_read_usd_per_mtok
        draft.blended_usd_per_mtok = None if blended is None else blended.quantize(MONEY_STEP)
        draft.price_verified_at = price.verified_at


def set_ranks(ranked: Sequence[Draft]) -> None:
    """Ranks on unrounded values among the ranked rows of one group."""
    speed = competition_ranks([d.output_speed_tps_p50 for d in ranked], higher_is_better=True)
    ttft = competition_ranks([d.ttft_ms_p50 for d in ranked], higher_is_better=False)
    price = competition_ranks(
        [None if d.blended_usd_per_mtok is None else float(d.blended_usd_per_mtok) for d in ranked],
        higher_is_better=False,
    )
    allowed = rank_bounds([speed_interval(d) for d in ranked], higher_is_better=True)
    for draft, by_speed, by_ttft, by_price, best_worst in zip(
        ranked, speed, ttft, price, allowed, strict=True
    ):
        draft.rank_speed, draft.rank_ttft, draft.rank_price = by_speed, by_ttft, by_price
        if best_worst is not None:
            draft.rank_speed_best, draft.rank_speed_worst = best_worst


def speed_interval(draft: Draft) -> Interval | None:
    """None without a median; a median of too few values for an interval may lie anywhere among them."""
    if draft.output_speed_tps_p50 is None:
        return None
    low, high = draft.output_speed_tps_p50_low, draft.output_speed_tps_p50_high
    if low is None or high is None:
        return draft.series.speeds_tps[0], draft.series.speeds_tps[-1]
    return low, high


def set_frontiers(group: Sequence[Draft], *, seed: str) -> None:
    marks = frontier_marks(group)
    points = [Resampled(d.offering_id, d.series.speeds_tps, d.series.ttfts_ms) for d in compared(group)]
    shares = frontier_shares(points, seed=seed)
    for draft in group:
        mark = marks[draft.offering_id]
        draft.frontier_speed_ttft, draft.frontier_speed_price = mark.speed_ttft, mark.speed_price
        draft.dominated_by = mark.dominated_by or ""
        draft.frontier_speed_ttft_share = shares.get(draft.offering_id)


@transaction.atomic
def publish(drafts: Sequence[Draft], *, as_of: dt.datetime, window_hours: int, is_pinned: bool) -> Snapshot:
    """All rows and then the mark that makes them visible, or nothing."""
    Snapshot.objects.filter(as_of=as_of, window_hours=window_hours).delete()
    snapshot = Snapshot.objects.create(
        as_of=as_of,
        window_hours=window_hours,
        methodology_version=METHODOLOGY_VERSION,
        samples_read=sum(draft.samples_total for draft in drafts),
        is_pinned=is_pinned,
    )
    copy_summaries(snapshot.pk, drafts)
    snapshot.is_complete = True
    snapshot.save(update_fields=["is_complete"])
    return snapshot


def copy_summaries(snapshot_id: int, drafts: Iterable[Draft]) -> None:
    """One COPY in binary: no number is turned into text and back."""
    columns = sql.SQL(", ").join(map(sql.Identifier, ("snapshot_id", "offering_id", *VALUES, *TALLIES)))
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("select {} from ranking_summary limit 0").format(columns))
        types = [column.type_code for column in cursor.description]
        statement = sql.SQL("copy ranking_summary ({}) from stdin (format binary)").format(columns)
        with cursor.copy(statement) as copy:
            copy.set_types(types)
            for draft in drafts:
                copy.write_row((snapshot_id, draft.offering, *values_of(draft), *tallies_of(draft)))
