from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.catalogue.models import Deployment, FormerTerms
from leaderboard.measurements.models import EngineReading
from leaderboard.ranking.endpoints import (
    GpuEndpointRow,
    best_level,
    gpu_endpoint_rows,
    shown_rows,
    with_cost,
)
from leaderboard.ranking.hosted_prices import hosted_prices
from tests.factories import (
    make_deployment,
    make_model,
    make_offering,
    make_price,
    make_provider,
    make_sweep,
)

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)
RENTED = {"cost_basis": "rental_on_demand", "usd_per_gpu_hour": "4"}
LEVEL = {"concurrency": 8, "throughput_tps": 7236.0, "throughput_in_tps": 14472.0}


def swept(level: dict[str, Any] | None = None, **deployment: Any) -> GpuEndpointRow:
    make_sweep(make_deployment(**deployment), [LEVEL | (level or {})])
    (row,) = gpu_endpoint_rows()
    return row


def test_output_tokens_cost_what_the_worked_example_says() -> None:
    row = swept(**RENTED)

    assert row.usd_per_mtok_output is not None
    assert round(row.usd_per_mtok_output, 4) == Decimal("0.1536")
    assert row.utilisation == 1


def test_half_the_use_doubles_the_cost() -> None:
    row = with_cost(swept(**RENTED), utilisation=Decimal("0.5"))

    assert row.usd_per_mtok_output is not None
    assert round(row.usd_per_mtok_output, 4) == Decimal("0.3071")


def test_input_and_total_tokens_share_the_same_hour() -> None:
    row = swept(**RENTED)

    # 4 USD over 14,472 × 3,600 prompt tokens; over 21,708 × 3,600 of both kinds
    assert row.usd_per_mtok_input == Decimal("0.0767766108")
    assert row.usd_per_mtok_total == Decimal("0.0511844072")


def test_an_unknown_rate_gives_no_cost_and_never_zero() -> None:
    row = swept()

    assert (row.hourly_cost_usd, row.usd_per_mtok_output, row.usd_per_mtok_total) == (None, None, None)
    assert (row.mtok_output_per_usd, row.break_even(Decimal("0.30"))) == (None, None)
    assert row.cost_basis == "unknown"


def test_free_gpus_cost_zero() -> None:
    row = swept(cost_basis="owned_amortised", purchase_usd="0", lifetime_hours="1", watts_per_gpu="1",
                power_source="declared", pue="1", usd_per_kwh="0")  # fmt: skip

    assert row.usd_per_mtok_output == 0
    assert row.mtok_output_per_usd is None


def test_throughput_is_shared_by_the_gpus_and_the_rate_multiplied() -> None:
    row = swept(**RENTED, gpu_count=8)

    assert row.throughput_tps_gpu == 904.5
    assert row.hourly_cost_usd == 32
    assert row.hardware == f"8 × {row.gpu_model}"


def test_energy_is_at_the_meter() -> None:
    row = swept(gpu_count=8, watts_per_gpu="700", power_source="declared", pue="1.25")

    # 5,600 W × 1.25 / 7,236 tokens/s
    assert (row.power_w, row.power_source) == (5600, "declared")
    assert row.joules_per_token == Decimal("0.967385")
    assert row.kwh_per_mtok is not None
    assert round(row.kwh_per_mtok, 6) == Decimal("0.268718")


def test_power_that_was_read_during_the_level_goes_before_what_is_stated() -> None:
    row = swept({"power_w": 4000.0}, gpu_count=8, watts_per_gpu="700", power_source="declared", pue="1")

    assert (row.power_w, row.power_source) == (4000, "measured")


def test_unknown_power_gives_no_energy() -> None:
    row = swept()

    assert (row.power_w, row.power_source, row.joules_per_token) == (None, "none", None)


def test_break_even_against_a_list_price() -> None:
    row = swept(**RENTED)

    assert row.break_even(Decimal("0.30")) == pytest.approx(Decimal("0.511844"), abs=Decimal("0.000001"))
    assert row.break_even(Decimal("0.10")) > 1  # type: ignore[operator]
    assert row.break_even(Decimal(0)) is None


def test_excluded_levels_are_kept_back() -> None:
    deployment = make_deployment()
    late = {"concurrency": 64, "throughput_tps": 9.0, "excluded": True, "exclusion_reason": "client_lag"}
    make_sweep(deployment, [LEVEL, late])

    assert [row.concurrency for row in gpu_endpoint_rows()] == [8]
    assert [row.concurrency for row in gpu_endpoint_rows(with_excluded=True)] == [8, 64]


def test_the_newest_sweep_stands_for_an_endpoint_and_the_files_keep_all() -> None:
    deployment = make_deployment()
    make_sweep(deployment, [LEVEL], engine_version="0.9")
    make_sweep(deployment, [LEVEL], measured_at=dt.datetime(2026, 7, 15, 3, tzinfo=dt.UTC), engine_version="")

    assert [row.engine_version for row in gpu_endpoint_rows()] == ["0.9", "unknown"]
    assert [row.engine_version for row in gpu_endpoint_rows(newest_only=True)] == ["unknown"]


def test_a_private_deployment_is_in_no_row() -> None:
    make_sweep(make_deployment(is_public=False), [LEVEL])

    assert gpu_endpoint_rows() == []


def test_flags_kept_before_the_rule_are_cleaned_where_they_leave() -> None:
    deployment = make_deployment()
    make_sweep(deployment, [LEVEL], engine_args="--api-key canary --host 10.9.8.7 --max-num-seqs 64")

    assert gpu_endpoint_rows()[0].engine_args == "--max-num-seqs 64"


def test_rows_cost_two_queries(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for _ in range(3):
        make_sweep(make_deployment(), [LEVEL, LEVEL | {"concurrency": 16}])

    with django_assert_num_queries(2):
        assert len(gpu_endpoint_rows()) == 6
    with django_assert_num_queries(4):
        gpu_endpoint_rows(newest_only=True, with_use=True, now=NOW)


def test_measured_use_is_the_engine_s_count_over_what_it_can_do() -> None:
    deployment = make_deployment(**RENTED)
    make_sweep(deployment, [LEVEL | {"throughput_tps": 1000.0}])
    for hours in range(25):
        read_at = NOW - dt.timedelta(hours=24 - hours)
        EngineReading.objects.create(deployment=deployment, read_at=read_at, output_tokens=hours * 900_000)

    (row,) = gpu_endpoint_rows(newest_only=True, with_use=True, now=NOW)

    assert row.measured_utilisation == Decimal("0.25")
    assert row.usd_per_mtok_output == Decimal("1.1111111111")
    assert row.usd_per_mtok_at_measured_use == Decimal("4.4444444444")


def test_simulated_endpoints_leave_as_soon_as_a_real_one_is_there() -> None:
    lab = make_offering(provider=make_provider(simulated=True))
    make_sweep(make_deployment(endpoint_id="lab", offering=lab), [LEVEL])
    assert [row.endpoint_id for row in shown_rows(gpu_endpoint_rows())] == ["lab"]

    make_sweep(make_deployment(endpoint_id="real"), [LEVEL])

    assert [row.endpoint_id for row in shown_rows(gpu_endpoint_rows())] == ["real"]


def levels(*figures: tuple[int, float, float, float]) -> list[GpuEndpointRow]:
    """Concurrency, tokens/s a user, tokens/s in all, P95 of the first token."""
    row = swept(**RENTED)
    return [
        replace(
            row,
            concurrency=concurrency,
            output_speed_tps_user_p50=speed,
            throughput_tps=throughput,
            throughput_tps_gpu=throughput,
            ttft_ms_p95=wait,
        )
        for concurrency, speed, throughput, wait in figures
    ]


def test_the_frontier_is_over_what_is_shown() -> None:
    rows = shown_rows(levels((1, 100, 100, 50), (4, 90, 360, 60), (8, 80, 350, 70), (16, 40, 640, 90)))

    assert [row.concurrency for row in rows if row.on_frontier] == [1, 4, 16]


def test_the_best_level_is_the_highest_throughput_within_the_limits() -> None:
    rows = levels((1, 100, 100, 50), (8, 80, 640, 400), (16, 60, 900, 2500))

    assert best_level(rows).concurrency == 16  # type: ignore[union-attr]
    assert best_level(rows, ttft_max_ms=1000).concurrency == 8  # type: ignore[union-attr]
    assert best_level(rows, speed_min_tps=90).concurrency == 1  # type: ignore[union-attr]
    assert best_level(rows, ttft_max_ms=10) is None


def test_an_unknown_wait_is_within_no_limit() -> None:
    rows = [replace(row, ttft_ms_p95=None) for row in levels((1, 100, 100, 50))]

    assert best_level(rows, ttft_max_ms=1000) is None
    assert best_level(rows) is not None


def test_hosted_prices_are_those_of_others_cheapest_first() -> None:
    model = make_model(slug="openai/gpt-oss-120b")
    ours = make_deployment()
    ours.offering.model = model
    ours.offering.save()
    make_price(ours.offering, output_usd_per_mtok="0.01")
    for name, price in (("dear", "0.60"), ("cheap", "0.30"), ("free", "0"), ("untold", None)):
        offering = make_offering(public_id=name, model=model)
        make_price(offering, output_usd_per_mtok=price)
    retired = make_offering(model=model, retired_on=dt.date(2026, 7, 1))
    make_price(retired, output_usd_per_mtok="0.02")

    found = hosted_prices(["openai/gpt-oss-120b"], simulated=False, now=dt.datetime.now(dt.UTC))

    assert [p.offering_id for p in found.prices] == ["free", "cheap", "dear"]
    assert [p.offering_id for p in found.cheapest()] == ["cheap", "dear"]
    assert found.unknown == 1


def test_a_sweep_keeps_the_rate_of_its_own_time_and_tells_todays_beside_it() -> None:
    deployment = make_deployment(**RENTED)
    make_sweep(deployment, [LEVEL])
    FormerTerms.objects.create(
        deployment=deployment, held_until=NOW, cost_basis="rental_reserved", usd_per_gpu_hour="2"
    )

    (row,) = gpu_endpoint_rows()

    assert (row.hourly_cost_usd, row.cost_basis, row.hourly_cost_now_usd) == (2, "rental_reserved", 4)
    assert row.costed_now is not None
    assert row.costed_now.usd_per_mtok_output == Decimal("0.1535532215")


def test_the_same_rate_now_is_told_once() -> None:
    assert swept(**RENTED).costed_now is None


def test_fewer_gpus_today_change_no_cost_of_the_past() -> None:
    deployment = make_deployment(**RENTED, gpu_count=8)
    make_sweep(deployment, [LEVEL])
    Deployment.objects.update(gpu_count=4)

    (row,) = gpu_endpoint_rows()

    assert (row.gpu_count, row.hourly_cost_usd) == (8, 32)
