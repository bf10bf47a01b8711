"""A finished sweep into the database: its set-up as it stood, its levels, and every request of each, all or nothing.

What is stored is what is published, so each level is summed up anew from its requests as they are stored.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from leaderboard.catalogue.models import Deployment
from leaderboard.measurements.models import Sweep, SweepLevel, SweepSample
from leaderboard.measurements.rounding import MS_DECIMALS, TPS_DECIMALS, decimals_of, rounded, to_millisecond
from leaderboard.measurements.sweep_rules import SweepPlan
from probes.level import Figure, Level, LevelSample, Window, sum_up
from probes.result import METHODOLOGY_VERSION, ProbeResult
from probes.sweep import MIN_GAIN
from probes.workloads import Workload

IN_DATABASE = 500
"""Requests written with one statement."""
LONGEST = {"detail": 32, "finish_reason": 64, "exclusion_reason": 20, "excluded_from": 5}
"""Texts, unknown ones empty, cut to their columns."""
OF_RESULT = tuple(
    {field.name for field in fields(ProbeResult)} & {field.name for field in SweepSample._meta.local_fields}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLevel:
    """One level, with the power its GPUs drew where a meter was read."""

    level: Level
    watts: float | None = None


def record_sweep(
    deployment: Deployment,
    plan: SweepPlan,
    workload: Workload,
    levels: Sequence[MeasuredLevel],
    *,
    planned_at: dt.datetime,
) -> Sweep | None:
    """All of it or nothing; None where this plan was recorded already."""
    levels = [replace(one, level=as_published(one.level)) for one in levels]
    saturated = first_saturated([one.level for one in levels])
    try:
        with transaction.atomic():
            sweep = Sweep.objects.create(
                **set_up_of(deployment),
                deployment=deployment,
                planned_at=planned_at,
                measured_at=to_millisecond(levels[0].level.measured_at),
                finished_at=dt.datetime.now(dt.UTC),
                probe_location=settings.PROBE_LOCATION,
                workload=workload.slug,
                workload_version=workload.version,
                methodology_version=METHODOLOGY_VERSION,
                phase_s=plan.phase_s,
                was_foreign=plan.is_foreign,
            )
            rows = SweepLevel.objects.bulk_create(
                row_of(sweep, one, is_saturated=saturated is not None and number >= saturated)
                for number, one in enumerate(levels)
            )
            SweepSample.objects.bulk_create(
                (
                    sample_of(row, sequence, sample)
                    for row, one in zip(rows, levels, strict=True)
                    for sequence, sample in enumerate(one.level.samples)
                ),
                batch_size=IN_DATABASE,
            )
    except IntegrityError:
        return None
    return sweep


def set_up_of(deployment: Deployment) -> dict[str, object]:
    """The facts as they stand now, kept with the sweep."""
    return {
        "engine": deployment.engine,
        "engine_version": deployment.engine_version,
        "engine_args": deployment.engine_args,
        "gpu_model": deployment.gpu.name,
        "gpu_count": deployment.gpu_count,
        "gpu_memory_gib": deployment.gpu.memory_gib,
        "driver_version": deployment.driver_version,
        "hardware_source": deployment.hardware_source,
        "quantization": deployment.offering.quantization,
        "tensor_parallel": deployment.tensor_parallel,
        "pipeline_parallel": deployment.pipeline_parallel,
        "expert_parallel": deployment.expert_parallel,
        "speculative_decoding": deployment.speculative_decoding,
        "max_model_len": deployment.max_model_len,
    }


def row_of(sweep: Sweep, one: MeasuredLevel, *, is_saturated: bool) -> SweepLevel:
    level, late = one.level, one.level.is_client_bound
    return SweepLevel(
        sweep=sweep,
        concurrency=level.concurrency,
        samples_ok=level.samples_ok,
        samples_failed=level.requests - level.outcomes.get("ok", level.samples_ok),
        output_speed_tps_user_p50=published(level.output_speed_tps_user_p50, TPS_DECIMALS),
        throughput_tps=published(level.throughput_tps, TPS_DECIMALS),
        throughput_in_tps=published(level.throughput_in_tps, TPS_DECIMALS),
        ttft_ms_p50=published(level.ttft_ms_p50, MS_DECIMALS),
        ttft_ms_p95=published(level.ttft_ms_p95, MS_DECIMALS),
        client_lag_ms=published(level.client_lag_ms, MS_DECIMALS),
        power_w=published(one.watts, 2),
        is_saturated=is_saturated,
        excluded=late,
        exclusion_reason="client_lag" if late else "",
        figures=told_figures(level),
    )


def told_figures(level: Level) -> dict[str, Any]:
    """All that has no column of its own, by the names it is published under."""
    window = level.window
    return {
        "window_from_ms": window.from_ms if window else None,
        "window_to_ms": window.to_ms if window else None,
        "window_s": round(level.window_s, 6),
        "requests": level.requests,
        "outcomes": level.outcomes,
        "exclusions": level.exclusions,
        **{name: figure_of(name, value) for name, value in level.figures.items()},
    }


def figure_of(name: str, value: Figure) -> Figure:
    """With the decimals of its metric: the unit stands before the statistic in the name."""
    metric = next((name[: name.index(unit) + len(unit)] for unit in ("_ms", "_tps") if unit in name), name)
    return half_even(value, decimals_of(metric)) if isinstance(value, float) else value


def sample_of(level: SweepLevel, sequence: int, one: LevelSample) -> SweepSample:
    told: dict[str, Any] = {name: getattr(one.result, name) for name in OF_RESULT}
    told |= {name: (told[name] or "")[:length] for name, length in LONGEST.items()}
    told["started_at"] = to_millisecond(one.result.started_at)
    return SweepSample(
        level=level,
        sequence=sequence,
        lane=one.lane,
        sent_ms=one.sent_ms,
        window_share=one.window_share,
        window_tokens=one.window_tokens,
        **told,
    )


def as_published(level: Level) -> Level:
    """The level from its requests with published decimals; one that brings no requests stays as it is."""
    if level.window is None:
        return level
    return sum_up(
        [sample_as_published(one) for one in level.samples],
        Window(
            from_ms=round(level.window.from_ms, MS_DECIMALS), to_ms=round(level.window.to_ms, MS_DECIMALS)
        ),
        measured_at=level.measured_at,
        workload=level.workload,
        concurrency=level.concurrency,
    )


def sample_as_published(one: LevelSample) -> LevelSample:
    numbers: dict[str, Any] = {
        name: rounded(name, value)
        for name in OF_RESULT
        if isinstance(value := getattr(one.result, name), float)
    }
    return replace(
        one,
        sent_ms=round(one.sent_ms, MS_DECIMALS),
        window_share=rounded("window_share", one.window_share),
        window_tokens=rounded("window_tokens", one.window_tokens) or 0.0,
        result=replace(one.result, **numbers),
    )


def published(value: float | None, decimals: int) -> float | None:
    """With published decimals; None too where nothing is left of it."""
    return None if value is None else half_even(value, decimals) or None


def half_even(value: float, decimals: int) -> float:
    """Ties by the digits one reads: `round` looks at the binary value behind 34.2745 and goes the other way."""
    step = Decimal(1).scaleb(-decimals)
    return float(Decimal(repr(value)).quantize(step, rounding=ROUND_HALF_EVEN))


def first_saturated(levels: Sequence[Level]) -> int | None:
    """The first level that no later one beats by 5 %, where there is a later one to say so."""
    reached = [level.throughput_tps or 0.0 for level in levels]
    for number, throughput in enumerate(reached[:-1]):
        if throughput and max(reached[number + 1 :]) < throughput * (1 + MIN_GAIN):
            return number
    return None
