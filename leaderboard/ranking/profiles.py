"""The shapes a pair's page draws, from 14 days of samples: hour of day, weekday, distribution, the last 50 samples.

Made by a job for all series at once: five queries over the 14 days, whatever came before.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

from django.db import connection, transaction

from leaderboard.ranking.counting import IS_OK, IS_TIMED, KEY
from leaderboard.ranking.inflation import Inflation, read_inflation
from leaderboard.ranking.models import SeriesProfile
from leaderboard.ranking.percentiles import percentile

LOOK_BACK = dt.timedelta(days=14)
RECENT = 50
HOURS, WEEKDAYS = 24, 7
PARTS = {
    "hour": "extract(hour from scheduled_at at time zone 'utc')::int",
    "weekday": "extract(isodow from scheduled_at at time zone 'utc')::int - 1",
}
RECENT_COLUMNS = (
    "started_at", "outcome", "http_status", "ttft_ms", "ttfat_ms", "end_to_end_ms", "output_speed_tps",
    "output_tokens", "token_source", "exclusion_reason",
)  # fmt: skip


class Bucket(TypedDict):
    """One hour or weekday: medians with quartiles, None where nothing was measured, and n behind the speed."""

    bucket: int
    samples: int
    output_speed_tps_p25: float | None
    output_speed_tps_p50: float | None
    output_speed_tps_p75: float | None
    ttft_ms_p25: float | None
    ttft_ms_p50: float | None
    ttft_ms_p75: float | None


@transaction.atomic
def refresh_profiles(as_of: dt.datetime) -> int:
    """Replace the profiles of every series with samples in the last 14 days; how many there are."""
    from leaderboard.ranking.window import read_window  # with numpy, as in `daily`

    window = read_window(as_of=as_of, hours=LOOK_BACK / dt.timedelta(hours=1))
    speeds_tps, ttfts_ms = window.measures["output_speed_tps"], window.measures["ttft_ms"]
    hours, weekdays = read_buckets("hour", as_of), read_buckets("weekday", as_of)
    recent = read_recent(as_of)
    inflation = read_inflation(after=as_of - LOOK_BACK, as_of=as_of)
    profiles = [
        SeriesProfile(
            offering_id=offering,
            workload=part.workload,
            probe_location=part.probe_location,
            methodology_version=part.methodology_version,
            simulated=bool(window.simulated[n]),
            as_of=as_of,
            hours=filled(hours[offering, *part], HOURS),
            weekdays=filled(weekdays[offering, *part], WEEKDAYS),
            speed_curve_tps=curve(speeds_tps.of(n)),
            ttft_curve_ms=curve(ttfts_ms.of(n)),
            recent=recent[offering, part.workload, part.probe_location],
            **token_ratios(inflation.get((offering, *part), Inflation())),
        )
        for n, (offering, part) in enumerate(zip(window.offerings.tolist(), window.parts, strict=True))
    ]
    SeriesProfile.objects.bulk_create(
        profiles,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["offering", "probe_location", "workload"],
        update_fields=[
            "methodology_version", "simulated", "as_of", "hours", "weekdays", "speed_curve_tps", "ttft_curve_ms",
            "recent", "output_token_ratio", "output_token_samples", "input_token_ratio", "input_token_samples",
        ],
    )  # fmt: skip
    return len(profiles)


def token_ratios(found: Inflation) -> dict[str, Any]:
    return {
        "output_token_ratio": found.output_ratio,
        "output_token_samples": found.output_samples,
        "input_token_ratio": found.input_ratio,
        "input_token_samples": found.input_samples,
    }


Key = tuple[Any, ...]


def curve(ordered: Sequence[float]) -> list[float]:
    """Percentiles 0 to 100, enough to draw a cumulative distribution at any width; empty of none."""
    return [value for p in range(101) if (value := percentile(ordered, p / 100)) is not None]


def read_buckets(part: str, as_of: dt.datetime) -> defaultdict[Key, list[Bucket]]:
    quartiles = "percentile_cont(array[0.25, 0.5, 0.75]) within group (order by {0}) filter (where {1})"
    speeds = quartiles.format("output_speed_tps", IS_TIMED)
    ttfts = quartiles.format("ttft_ms", IS_OK)
    found: defaultdict[Key, list[Bucket]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            select {KEY}, {PARTS[part]}, count(output_speed_tps) filter (where {IS_TIMED}), {speeds}, {ttfts}
            from measurements_sample
            where scheduled_at > %s and scheduled_at <= %s and connection_kind = 'warm'
            group by {KEY}, {PARTS[part]}""",  # noqa: S608 built from the constants above
            [as_of - LOOK_BACK, as_of],
        )
        for *key, bucket, count, speed, ttft in cursor.fetchall():
            found[tuple(key)].append(bucket_of(bucket, count, speed, ttft))
    return found


def bucket_of(bucket: int, count: int, speed: Sequence[float] | None, ttft: Sequence[float] | None) -> Bucket:
    s25, s50, s75 = speed or (None, None, None)
    t25, t50, t75 = ttft or (None, None, None)
    return Bucket(
        bucket=bucket,
        samples=count,
        output_speed_tps_p25=s25,
        output_speed_tps_p50=s50,
        output_speed_tps_p75=s75,
        ttft_ms_p25=t25,
        ttft_ms_p50=t50,
        ttft_ms_p75=t75,
    )


def filled(buckets: Iterable[Bucket], size: int) -> list[Bucket]:
    """Every hour or weekday in order, those without a sample too."""
    known = {bucket["bucket"]: bucket for bucket in buckets}
    return [known.get(number) or bucket_of(number, 0, None, None) for number in range(size)]


def read_recent(as_of: dt.datetime) -> defaultdict[Key, list[dict[str, Any]]]:
    """The newest 50 samples of each offering, workload and location, failures and exclusions among them."""
    columns = ", ".join(RECENT_COLUMNS)
    found: defaultdict[Key, list[dict[str, Any]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            select offering_id, workload, probe_location, {columns}
            from (
                select *, row_number() over (
                    partition by offering_id, workload, probe_location order by scheduled_at desc, sequence
                ) as position
                from measurements_sample
                where scheduled_at > %s and scheduled_at <= %s
            ) numbered
            where position <= {RECENT}
            order by offering_id, workload, probe_location, position""",  # noqa: S608 constants only
            [as_of - LOOK_BACK, as_of],
        )
        for offering, workload, location, started_at, *values in cursor.fetchall():
            told = {
                "started_at": f"{started_at.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%S}.{started_at.microsecond // 1000:03}Z"
            }
            found[offering, workload, location].append(
                told | dict(zip(RECENT_COLUMNS[1:], values, strict=True))
            )
    return found
