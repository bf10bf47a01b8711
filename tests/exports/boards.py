"""A whole board with history, invented by a seeded generator: several offerings, workloads, versions and failures."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.identity import NaturalKey, sample_id
from leaderboard.measurements.models import Sample
from leaderboard.measurements.recording import record_samples
from tests.exports.rows import AS_OF
from tests.factories import make_model, make_offering, make_price, make_provider

HOUR = dt.timedelta(hours=1)
FAILURES = ("timeout", "rate_limited", "server_error", "auth", "network", "stream_broken", "empty")


def make_history(*, hours: int = 96, seed: str = "board") -> None:
    """Hourly and three-hourly samples up to AS_OF, of five offerings by three providers."""
    draw = random.Random(seed)
    models = [make_model(slug=f"maker/model-{letter}", name=f"Model {letter}") for letter in "ab"]
    providers = [make_provider(slug=slug, name=slug.title()) for slug in ("alfa", "bravo", "charlie")]
    lab = make_provider(slug="demo-lab", name="Demo lab", simulated=True)
    offerings = [
        make_offering(
            public_id=f"{provider.slug}~{model.slug.split('/')[1]}",
            provider=provider,
            model=model,
            interval_s=3600 if provider.slug == "alfa" else 10_800,
        )
        for provider in (*providers, lab)
        for model in models
        if (provider.slug, model.slug) != ("charlie", "maker/model-b")
    ]
    for offering in offerings:
        make_price(
            offering, valid_from=AS_OF - 60 * HOUR, input_usd_per_mtok="0.10", output_usd_per_mtok="0.40"
        )
        make_price(
            offering,
            valid_from=AS_OF - 30 * HOUR,
            input_usd_per_mtok=f"0.{draw.randrange(1000, 9999)}",
            output_usd_per_mtok="1.25",
        )
        record_samples(history_of(offering, draw, hours))
    Offering.objects.filter(public_id="bravo~model-b").update(probe_state="paused")


def history_of(offering: Offering, draw: random.Random, hours: int) -> list[Sample]:
    step = offering.interval_s // 3600
    speed, wait = draw.uniform(40, 900), draw.uniform(80, 900)
    return [
        invented_sample(offering, AS_OF - age * HOUR, workload, draw, speed=speed, wait=wait)
        for age in range(1, hours, step)
        for workload in ("short", "medium")
    ]


def invented_sample(
    offering: Offering, at: dt.datetime, workload: str, draw: random.Random, *, speed: float, wait: float
) -> Sample:
    values: dict[str, Any] = {"outcome": "ok", "http_status": 200, "token_source": "usage"}
    if draw.random() < 0.12:
        values = {"outcome": draw.choice(FAILURES)}
    else:
        ttft_ms = round(wait * draw.lognormvariate(0, 0.2), 3)
        values |= {
            "ttft_ms": ttft_ms,
            "ttfat_ms": round(ttft_ms + draw.choice((0, 0, 500.5)), 3),
            "output_speed_tps": round(speed * draw.lognormvariate(0, 0.1), 4),
            "end_to_end_ms": round(ttft_ms + 2000 + draw.random(), 3),
            "output_tokens": 1000,
            "largest_chunk_share": round(draw.random(), 6),
        }
        if draw.random() < 0.1:
            values |= {"excluded": True, "exclusion_reason": "buffered_stream", "excluded_from": "speed"}
        elif draw.random() < 0.1:
            values |= {"excluded": True, "exclusion_reason": "cache_hit", "excluded_from": "all"}
    key = NaturalKey(
        offering_id=offering.public_id,
        workload=workload,
        probe_location="local",
        connection_kind="warm",
        scheduled_at=at,
    )
    return Sample(
        sample_id=sample_id(key),
        offering=offering,
        scheduled_at=at,
        started_at=at + dt.timedelta(milliseconds=draw.randrange(1, 900)),
        probe_location="local",
        workload=workload,
        workload_version=1 if at < AS_OF - 24 * HOUR or workload == "medium" else 2,
        methodology_version="1.0.0",
        simulated=offering.provider.simulated,
        **values,
    )
