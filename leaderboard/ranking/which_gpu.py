"""The “which GPU” question: its query, the candidates by arithmetic, and what was measured on the same GPUs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import Any

from leaderboard.catalogue.candidates import Candidate, Need, candidates
from leaderboard.catalogue.hosting import ModelShape
from leaderboard.catalogue.models import Deployment, Gpu
from leaderboard.ranking.calculator import between
from leaderboard.ranking.endpoints import GpuEndpointRow, best_level, by_endpoint
from leaderboard.ranking.filters import BadFilter, Parameters

BITS = ("16", "8", "4")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Asked once the model's size is given. None is no limit, or unknown."""

    params_total_b: Decimal | None = None
    params_active_b: Decimal | None = None
    """Billions read for each token; None: all of them."""
    bits_per_weight: Decimal = Decimal(8)
    layers: int | None = None
    kv_heads: int | None = None
    head_size: int | None = None
    context_tokens: int = 8192
    requests: int = 8
    speed_floor_tps: Decimal | None = None
    budget_usd_per_hour: Decimal | None = None
    power_max_w: Decimal | None = None

    @property
    def is_asked(self) -> bool:
        return self.params_total_b is not None

    def need(self) -> Need:
        total = self.params_total_b or Decimal(0)
        return Need(
            shape=ModelShape(
                params_total_b=total,
                params_active_b=min(total, self.params_active_b or total),
                bits_per_weight=self.bits_per_weight,
                layers=self.layers,
                kv_heads=self.kv_heads,
                head_size=self.head_size,
            ),
            context_tokens=self.context_tokens,
            concurrency=self.requests,
            speed_min_tps=self.speed_floor_tps,
            budget_usd_per_hour=self.budget_usd_per_hour,
            power_max_w=self.power_max_w,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One candidate, and the fullest measured level of each endpoint that runs on the same kind of GPU."""

    candidate: Candidate
    measured: tuple[GpuEndpointRow, ...]


def parse_question(params: Parameters) -> Question:
    """Raises BadFilter for the first known name with a bad value."""
    values: dict[str, Any] = {}
    for name, parse in PARSERS.items():
        given = [text.strip() for text in params.getlist(name) if text.strip()]
        if given:
            values[name] = parse(name, given[-1])
    return Question(**values)


def answers(question: Question, rows: Iterable[GpuEndpointRow]) -> list[Answer]:
    """Two queries; none while nothing is asked. `rows`: the newest levels of every endpoint shown."""
    if not question.is_asked:
        return []
    best = [level for levels in by_endpoint(rows).values() if (level := best_level(levels))]
    return [
        Answer(candidate=found, measured=tuple(r for r in best if r.gpu_model == found.gpu.name))
        for found in candidates(question.need(), Gpu.objects.all(), known_rates())
    ]


def known_rates() -> dict[int, Decimal]:
    """The median rental rate of each kind among public deployments; one query."""
    rates: dict[int, list[Decimal]] = {}
    rented = Deployment.objects.filter(is_public=True, retired_on=None, usd_per_gpu_hour__isnull=False)
    for gpu_id, rate in rented.values_list("gpu", "usd_per_gpu_hour"):
        if rate is not None:
            rates.setdefault(gpu_id, []).append(rate)
    return {gpu_id: median(found) for gpu_id, found in rates.items()}


def whole_between(low: int, high: int, words: str) -> Any:
    def parse(name: str, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 12 and low <= int(text) <= high):
            raise BadFilter(name, text, words)
        return int(text)

    return parse


PARSERS: dict[str, Any] = {
    "params_total_b": between("0.01", "100000", "billions of parameters, from 0.01, as in 120"),
    "params_active_b": between("0.01", "100000", "billions of parameters read for a token, as in 5.1"),
    "bits_per_weight": between("1", "32", "bits of one weight, from 1 to 32, as in 8"),
    "layers": whole_between(1, 1000, "a whole number from 1 to 1000"),
    "kv_heads": whole_between(1, 1000, "a whole number from 1 to 1000"),
    "head_size": whole_between(1, 10_000, "a whole number from 1 to 10000"),
    "context_tokens": whole_between(1, 100_000_000, "tokens of one request, a whole number from 1"),
    "requests": whole_between(1, 1_000_000, "requests at once, a whole number from 1"),
    "speed_floor_tps": between("0.01", "1000000", "tokens/s for one user, above 0, as in 30"),
    "budget_usd_per_hour": between("0", "1000000", "USD an hour for the whole endpoint, as in 20"),
    "power_max_w": between("1", "10000000", "watts for the whole endpoint, as in 10000"),
}
