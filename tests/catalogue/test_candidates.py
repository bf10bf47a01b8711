from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from leaderboard.catalogue.candidates import Candidate, Need, candidates
from leaderboard.catalogue.hosting import ModelShape
from leaderboard.catalogue.models import Gpu

# 70 billion parameters at 8 bits: 65.19 GiB of weights; 327,680 bytes of cache a token: 80 × 8 × 128 × 2 × 16 bits.
SHAPE = ModelShape(
    params_total_b=Decimal(70),
    params_active_b=Decimal(70),
    bits_per_weight=Decimal(8),
    layers=80,
    kv_heads=8,
    head_size=128,
)


def gpu(pk: int, **fields: Any) -> Gpu:
    defaults: dict[str, Any] = {"name": f"X{pk}", "vendor": "Maker", "memory_gib": Decimal(80)}
    return Gpu(pk=pk, **defaults | fields)


def need(**fields: Any) -> Need:
    return Need(**{"shape": SHAPE, "context_tokens": 8192, "concurrency": 1} | fields)


def only(found: list[Candidate]) -> Candidate:
    (one,) = found
    return one


def test_the_smallest_count_that_fits_is_named_with_its_sum() -> None:
    found = only(candidates(need(), [gpu(1)], {}))

    assert found.count == 1
    assert round(found.fit.weights_gib, 2) == Decimal("65.19")
    assert found.fit.cache_gib == Decimal("2.5")
    assert found.fit.usable_gib == 72
    assert round(found.needed_share, 3) == Decimal("0.940")


def test_more_requests_at_once_need_more_gpus() -> None:
    # 32 × 2.5 GiB of cache beside 65 of weights: 145 GiB, over 2 × 72
    assert only(candidates(need(concurrency=32), [gpu(1)], {})).count == 4


def test_a_model_that_fits_nowhere_has_no_candidate() -> None:
    assert candidates(need(concurrency=10_000), [gpu(1)], {}) == []


def test_bandwidth_bounds_the_speed_and_adds_gpus() -> None:
    slow = gpu(1, bandwidth_gb_per_s=Decimal(2000))

    found = only(candidates(need(speed_min_tps=Decimal(50)), [slow], {}))

    # 2,000 GB/s over 72.68 GB read for a token: 27.5 tokens/s on one, 55 on two
    assert found.count == 2
    assert found.fit.speed_bound_tps is not None
    assert round(found.fit.speed_bound_tps, 1) == Decimal("55.0")


def test_power_and_budget_rule_out_what_is_over_them() -> None:
    kinds = [gpu(1, board_power_w=Decimal(700)), gpu(2, board_power_w=Decimal(300))]
    rates = {1: Decimal("2.00"), 2: Decimal("9.00")}

    assert [c.gpu.pk for c in candidates(need(power_max_w=Decimal(500)), kinds, rates)] == [2]
    assert [c.gpu.pk for c in candidates(need(budget_usd_per_hour=Decimal(3)), kinds, rates)] == [1]


def test_an_unknown_figure_rules_nothing_out_and_stays_unknown() -> None:
    limits = need(
        power_max_w=Decimal(1), budget_usd_per_hour=Decimal("0.01"), speed_min_tps=Decimal(1_000_000)
    )

    found = only(candidates(limits, [gpu(1)], {}))

    assert (found.power_w, found.usd_per_hour, found.fit.speed_bound_tps) == (None, None, None)


def test_a_kind_without_a_memory_figure_is_never_a_candidate() -> None:
    assert candidates(need(), [gpu(1, memory_gib=None)], {}) == []


@pytest.mark.parametrize("unknown", ["layers", "kv_heads", "head_size"])
def test_without_the_configuration_only_the_weights_are_held_against_memory(unknown: str) -> None:
    figures = {"layers": 80, "kv_heads": 8, "head_size": 128} | {unknown: None}
    shape = ModelShape(
        params_total_b=Decimal(70), params_active_b=Decimal(70), bits_per_weight=Decimal(8), **figures
    )

    found = only(candidates(need(shape=shape, concurrency=10_000), [gpu(1)], {}))

    assert (found.count, found.fit.cache_gib) == (1, None)


def test_fewest_gpus_come_first_then_the_least_power() -> None:
    kinds = [
        gpu(1, memory_gib=Decimal(40), board_power_w=Decimal(100)),
        gpu(2, board_power_w=Decimal(700)),
        gpu(3, board_power_w=Decimal(400)),
        gpu(4),
    ]

    assert [(c.count, c.gpu.pk) for c in candidates(need(), kinds, {})] == [(1, 3), (1, 2), (1, 4), (2, 1)]
