from __future__ import annotations

from decimal import Decimal

import pytest
from django.http import QueryDict

from leaderboard.ranking.calculator import Calculation, parse_calculation
from leaderboard.ranking.filters import BadFilter


def test_nothing_asked_is_full_use_at_the_operator_s_rate() -> None:
    assert parse_calculation(QueryDict("")) == Calculation()
    assert parse_calculation(QueryDict("model=&usd_per_gpu_hour=&v=1&utilisation_percent=")) == Calculation()


def test_every_name_is_read() -> None:
    query = (
        "model=a/b&endpoint=h200&usd_per_gpu_hour=2.50&utilisation_percent=35&ttft_max_ms=1000&speed_min_tps=30"
        "&display=tokens_per_usd&full=1"
    )

    assert parse_calculation(QueryDict(query)) == Calculation(
        model="a/b",
        endpoint="h200",
        usd_per_gpu_hour=Decimal("2.50"),
        utilisation_percent=Decimal(35),
        ttft_max_ms=1000.0,
        speed_min_tps=30.0,
        display="tokens_per_usd",
        full=True,
    )


def test_the_canonical_query_has_only_what_differs_with_names_sorted() -> None:
    asked = Calculation(utilisation_percent=Decimal("35.0"), model="a/b", ttft_max_ms=1000.0)

    assert asked.query() == "model=a%2Fb&ttft_max_ms=1000&utilisation_percent=35"
    assert Calculation().query() == ""
    assert Calculation(utilisation_percent=Decimal("50")).utilisation == Decimal("0.5")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("usd_per_gpu_hour=-1", "usd_per_gpu_hour"),
        ("usd_per_gpu_hour=NaN", "usd_per_gpu_hour"),
        ("usd_per_gpu_hour=cheap", "usd_per_gpu_hour"),
        ("utilisation_percent=0", "utilisation_percent"),
        ("utilisation_percent=101", "utilisation_percent"),
        ("utilisation_percent=Infinity", "utilisation_percent"),
        ("ttft_max_ms=0", "ttft_max_ms"),
        ("ttft_max_ms=nan", "ttft_max_ms"),
        ("speed_min_tps=-3", "speed_min_tps"),
        ("display=euros", "display"),
        ("full=yes", "full"),
        ("model=" + "x" * 201, "model"),
        ("endpoint=%00", "endpoint"),
    ],
)
def test_a_value_that_cannot_be_names_itself_and_what_is_allowed(query: str, name: str) -> None:
    with pytest.raises(BadFilter) as refused:
        parse_calculation(QueryDict(query))

    assert refused.value.parameter == name
    assert refused.value.allowed
