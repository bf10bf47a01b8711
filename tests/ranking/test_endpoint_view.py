from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.catalogue.models import Deployment, LanguageModel
from leaderboard.ranking.calculator import Calculation
from leaderboard.ranking.endpoint_view import EndpointView, endpoint_view, endpoints_version
from tests.factories import (
    make_deployment,
    make_model,
    make_offering,
    make_price,
    make_provider,
    make_sweep,
)

pytestmark = pytest.mark.django_db

LEVELS = [
    {"concurrency": 1, "throughput_tps": 100.0, "output_speed_tps_user_p50": 100.0, "ttft_ms_p95": 50.0},
    {"concurrency": 8, "throughput_tps": 400.0, "output_speed_tps_user_p50": 50.0, "ttft_ms_p95": 800.0},
]


def served(model: LanguageModel, endpoint_id: str, **fields: Any) -> Deployment:
    offering = make_offering(
        provider=make_provider(kind="self_hosted"), model=model, hosting="self_hosted", quantization="fp8"
    )
    rented = {
        "cost_basis": "rental_on_demand",
        "usd_per_gpu_hour": "2",
        "cost_source_url": "https://x.test/rate",
    }
    return make_deployment(offering=offering, endpoint_id=endpoint_id, **rented | fields)


def shown(**asked: Any) -> EndpointView:
    return endpoint_view(Calculation(**asked), now=dt.datetime.now(dt.UTC))


def test_one_model_at_a_time_the_one_with_most_levels_first() -> None:
    first, second = make_model(slug="a/one", name="One"), make_model(slug="b/two", name="Two")
    make_sweep(served(first, "small"), LEVELS[:1])
    make_sweep(served(second, "large"), LEVELS)

    assert [row.endpoint_id for row in shown().rows] == ["large", "large"]
    assert [row.endpoint_id for row in shown(model="a/one").rows] == ["small"]
    assert [row.endpoint_id for row in shown(endpoint="small").rows] == ["small"]
    assert len(shown(full=True).rows) == 3
    assert shown().models == (("a/one", "One"), ("b/two", "Two"))
    assert shown(model="c/none").rows == ()


def test_the_visitor_s_rate_takes_the_operator_s_place_and_has_no_source() -> None:
    make_sweep(served(make_model(), "ours", gpu_count=8), LEVELS)

    row = shown(usd_per_gpu_hour=Decimal(3), utilisation_percent=Decimal(50)).rows[1]

    assert (row.hourly_cost_usd, row.cost_basis, row.cost_source_url) == (24, "unknown", None)
    # 24 USD × 1e6 / (400 × 3,600 × 0.5)
    assert row.usd_per_mtok_output == Decimal("33.3333333333")


def test_a_rate_for_one_endpoint_leaves_the_others_theirs() -> None:
    model = make_model()
    make_sweep(served(model, "first"), LEVELS)
    make_sweep(served(model, "second"), LEVELS)

    view = shown(endpoint="first", usd_per_gpu_hour=Decimal(9))

    assert {row.endpoint_id: row.hourly_cost_usd for row in view.rows} == {"first": 9, "second": 2}


def test_the_cheapest_endpoint_is_worked_out_unless_another_is_asked_for() -> None:
    model = make_model()
    make_sweep(served(model, "dear", usd_per_gpu_hour="5"), LEVELS)
    make_sweep(served(model, "cheap"), LEVELS)

    assert shown().chosen_endpoint == "cheap"
    assert shown(endpoint="dear").chosen_endpoint == "dear"
    assert shown(endpoint="nobody").chosen_endpoint == "cheap"


def test_limits_choose_the_level() -> None:
    make_sweep(served(make_model(), "ours"), LEVELS)

    assert shown().best("ours").concurrency == 8  # type: ignore[union-attr]
    assert shown(ttft_max_ms=100.0).best("ours").concurrency == 1  # type: ignore[union-attr]
    assert shown(ttft_max_ms=10.0).best("ours") is None


def test_each_list_price_has_its_break_even() -> None:
    model = make_model()
    make_sweep(served(model, "ours"), LEVELS)
    alike = make_offering(public_id="alike", model=model, quantization="fp8")
    make_price(alike, output_usd_per_mtok="2.7777777777")
    other = make_offering(public_id="other", model=model)
    make_price(other, output_usd_per_mtok="0.50")

    view = shown()
    best = view.best("ours")
    assert best is not None
    found = view.break_evens(best)

    # 2 USD × 1e6 / (400 × 3,600) = 1.3889 at full use
    assert [(b.asked.offering_id, round(b.utilisation or 0, 4), b.is_like_for_like) for b in found] == [
        ("other", Decimal("2.7778"), False),
        ("alike", Decimal("0.5000"), True),
    ]


def test_the_view_costs_six_queries(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    model = make_model()
    for name in ("one", "two", "three"):
        make_sweep(served(model, name), LEVELS)
        make_price(make_offering(model=model))

    with django_assert_num_queries(6):
        shown()


def test_the_version_changes_with_a_sweep_and_with_a_rate() -> None:
    deployment = served(make_model(), "ours")
    before, _ = endpoints_version()
    make_sweep(deployment, LEVELS)
    swept, _ = endpoints_version()
    deployment.usd_per_gpu_hour = Decimal(3)
    deployment.save()
    rated, changed_at = endpoints_version()

    assert len({before, swept, rated}) == 3
    assert changed_at is not None
