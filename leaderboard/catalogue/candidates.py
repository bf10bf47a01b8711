"""Which GPUs could serve a model: every kind and count held against memory, bandwidth, power and budget.

An estimate from published figures, with its arithmetic; a measured endpoint beside it always wins. A kind whose figure
is unknown is not ruled out by it: it says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.catalogue.hosting import Fit, ModelShape, fit
from leaderboard.catalogue.models import Gpu

COUNTS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What is to be served, and what it may cost. None is no limit."""

    shape: ModelShape
    context_tokens: int
    concurrency: int
    speed_min_tps: Decimal | None = None
    budget_usd_per_hour: Decimal | None = None
    power_max_w: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The smallest count of one kind that fits, with each term of the sum."""

    gpu: Gpu
    count: int
    fit: Fit
    power_w: Decimal | None
    usd_per_hour: Decimal | None

    @property
    def needed_share(self) -> Decimal:
        """Of the usable memory; at most 1."""
        return self.fit.needed_gib / self.fit.usable_gib


def candidates(need: Need, gpus: Iterable[Gpu], rates: Mapping[int, Decimal]) -> list[Candidate]:
    """For each kind the smallest count that meets every limit with a known figure; fewest GPUs first, then by name.

    `rates`: USD per GPU-hour by the kind's key, where one is known.
    """
    found = []
    for gpu in gpus:
        options = (candidate(need, gpu, count, rates.get(gpu.pk)) for count in COUNTS)
        chosen = next((option for option in options if option is not None and meets(need, option)), None)
        if chosen is not None:
            found.append(chosen)
    return sorted(found, key=lambda c: (c.count, c.power_w is None, c.power_w or 0, c.gpu.name))


def candidate(need: Need, gpu: Gpu, count: int, rate: Decimal | None) -> Candidate | None:
    """None where the kind's memory is unknown: then nothing can be said."""
    if gpu.memory_gib is None:
        return None
    estimate = fit(
        need.shape,
        gpu_count=count,
        memory_gib=gpu.memory_gib,
        bandwidth_gb_per_s=gpu.bandwidth_gb_per_s,
        context_tokens=need.context_tokens,
        concurrency=need.concurrency,
    )
    return Candidate(
        gpu=gpu,
        count=count,
        fit=estimate,
        power_w=None if gpu.board_power_w is None else count * gpu.board_power_w,
        usd_per_hour=None if rate is None else count * rate,
    )


def meets(need: Need, option: Candidate) -> bool:
    return (
        option.fit.fits
        and at_least(option.fit.speed_bound_tps, need.speed_min_tps)
        and at_most(option.usd_per_hour, need.budget_usd_per_hour)
        and at_most(option.power_w, need.power_max_w)
    )


def at_least(value: Decimal | None, limit: Decimal | None) -> bool:
    return value is None or limit is None or value >= limit


def at_most(value: Decimal | None, limit: Decimal | None) -> bool:
    return value is None or limit is None or value <= limit
