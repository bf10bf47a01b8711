from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from tests.factories import make_deployment, make_offering, make_provider

pytestmark = pytest.mark.django_db

RENTED = {"cost_basis": "rental_on_demand", "usd_per_gpu_hour": "2.50"}
OWNED = {"cost_basis": "owned_amortised", "purchase_usd": "262800", "lifetime_hours": "26280"}
POWERED = {"watts_per_gpu": "700", "power_source": "declared", "pue": "1.25"}


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("deployment_label_form", {"endpoint_id": "10.0.0.1"}),
        ("deployment_label_form", {"endpoint_id": "gpu.example.com"}),
        ("deployment_label_form", {"endpoint_id": "Upper"}),
        ("deployment_has_a_gpu", {"gpu_count": 0}),
        ("deployment_purchase_has_lifetime", {**OWNED, "lifetime_hours": None}),
        ("deployment_purchase_has_lifetime", {"lifetime_hours": "26280"}),
        ("deployment_purchase_has_lifetime", {**OWNED, "lifetime_hours": "0"}),
        ("deployment_cost_fits_its_basis", {"cost_basis": "rental_reserved"}),
        ("deployment_cost_fits_its_basis", {"usd_per_gpu_hour": "2.50"}),
        ("deployment_cost_fits_its_basis", {**OWNED, "usd_per_gpu_hour": "2.50"}),
        ("deployment_cost_fits_its_basis", {**RENTED, "usd_per_gpu_hour": "-1"}),
        ("deployment_power_has_source", {"power_source": "measured"}),
        ("deployment_power_has_source", {**POWERED, "power_source": "none"}),
        ("deployment_power_has_source", {**POWERED, "watts_per_gpu": "0"}),
        ("deployment_power_has_pue", {**POWERED, "pue": None}),
        ("deployment_pue_from_one", {"pue": "0.9"}),
        ("deployment_energy_price_not_negative", {"usd_per_kwh": "-0.01"}),
        ("deployment_parallel_from_one", {"tensor_parallel": 0}),
        ("deployment_parallel_from_one", {"sweep_every_hours": 0}),
        ("deployment_quiet_hours_form", {"quiet_hours_utc": "at night"}),
    ],
)
def test_the_database_refuses(constraint: str, fields: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        make_deployment(**fields)


@pytest.mark.parametrize("fields", [{}, RENTED, OWNED, POWERED, {**OWNED, **POWERED, "usd_per_kwh": "0.10"}])
def test_the_database_accepts(fields: dict[str, Any]) -> None:
    assert make_deployment(**fields).pk


def test_hourly_cost_of_rented_gpus_is_their_rate_times_their_count() -> None:
    assert make_deployment(**RENTED, gpu_count=8).hourly_cost_usd() == Decimal(20)


def test_hourly_cost_of_owned_gpus_is_write_off_and_power() -> None:
    deployment = make_deployment(**OWNED, **POWERED, usd_per_kwh="0.10", gpu_count=8)

    assert deployment.hourly_cost_usd() == Decimal("10.70")


@pytest.mark.parametrize("fields", [{}, OWNED, {**OWNED, **POWERED}])
def test_hourly_cost_is_unknown_while_a_part_of_it_is(fields: dict[str, Any]) -> None:
    assert make_deployment(**fields).hourly_cost_usd() is None


@pytest.mark.parametrize(
    ("kind", "hosting", "ours"),
    [("self_hosted", "self_hosted", True), ("host", "self_hosted", True), ("host", "serverless", False)],
)
def test_whose_gpus_they_are(kind: str, hosting: str, ours: bool) -> None:
    offering = make_offering(provider=make_provider(kind=kind), hosting=hosting)

    assert make_deployment(offering=offering).is_ours is ours
