"""Saved samples, each with its month's partition."""

from __future__ import annotations

import datetime as dt
from typing import Any

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.identity import NaturalKey, sample_id
from leaderboard.measurements.models import Sample
from leaderboard.measurements.recording import record_samples

AS_OF = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)


def build_sample(offering: Offering, scheduled_at: dt.datetime, **fields: Any) -> Sample:
    """An unsaved ok sample of 100 tokens/s after 200 ms, unless told otherwise."""
    defaults: dict[str, Any] = {
        "offering_id": offering.pk,
        "scheduled_at": scheduled_at,
        "started_at": scheduled_at,
        "probe_location": "local",
        "workload": "medium",
        "workload_version": 1,
        "methodology_version": "1.0.0",
        "outcome": "ok",
        "simulated": offering.provider.simulated,
        "http_status": 200,
        "output_tokens": 1001,
        "first_chunk_tokens": 1,
        "token_source": "usage",
        "ttft_ms": 200.0,
        "ttfat_ms": 200.0,
        "last_token_ms": 10_200.0,
        "end_to_end_ms": 10_201.0,
        "output_speed_tps": 100.0,
    }
    if fields.get("outcome", "ok") != "ok":
        for name in ("ttft_ms", "ttfat_ms", "last_token_ms", "end_to_end_ms", "output_speed_tps"):
            defaults[name] = None
    sample = Sample(**defaults | fields)
    sample.sample_id = sample_id(
        NaturalKey(
            offering_id=offering.public_id,
            workload=sample.workload,
            probe_location=sample.probe_location,
            connection_kind=sample.connection_kind,
            scheduled_at=scheduled_at,
            sequence=sample.sequence,
        )
    )
    return sample


def make_sample(offering: Offering, scheduled_at: dt.datetime, **fields: Any) -> Sample:
    sample = build_sample(offering, scheduled_at, **fields)
    record_samples([sample])
    return sample


def make_samples(
    offering: Offering, *, count: int, until: dt.datetime = AS_OF, every_s: int = 10_800, **fields: Any
) -> list[Sample]:
    """`count` samples ending at `until`; a field given as a list has one value for each."""
    samples = []
    for number in range(count):
        own = {name: v[number] if isinstance(v, list) else v for name, v in fields.items()}
        at = until - dt.timedelta(seconds=every_s * (count - 1 - number))
        samples.append(build_sample(offering, at, **own))
    record_samples(samples)
    return samples
