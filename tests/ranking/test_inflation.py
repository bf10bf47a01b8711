from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from leaderboard.ranking.inflation import Inflation, expected_input, inflation_of, read_inflation
from leaderboard.ranking.models import SeriesProfile
from leaderboard.ranking.profiles import refresh_profiles
from tests.factories import make_offering
from tests.measurements.factories import AS_OF, make_sample, make_samples

pytestmark = pytest.mark.django_db


def read() -> Inflation:
    (found,) = read_inflation(after=AS_OF - dt.timedelta(days=14), as_of=AS_OF).values()
    return found


def output(**fields: Any) -> tuple[float | None, int]:
    make_sample(make_offering(), AS_OF, **{"output_tokens": 1200, "reference_tokens": 1000} | fields)
    found = read_inflation(after=AS_OF - dt.timedelta(days=14), as_of=AS_OF)
    return next(((f.output_ratio, f.output_samples) for f in found.values()), (None, 0))


def test_ratio_is_the_median_of_billed_over_reference_with_its_n() -> None:
    make_samples(
        make_offering(),
        count=3,
        output_tokens=[1100, 1500, 2000],
        reference_tokens=[1000, 1000, 1000],
        input_tokens=[1000, 1300, 1100],
    )

    assert read() == Inflation(output_ratio=1.5, output_samples=3, input_ratio=1.1, input_samples=3)


@pytest.mark.parametrize(
    ("fields", "ratio"),
    [
        ({}, 1.2),
        ({"reasoning_tokens": 200}, 1.0),
        ({"reasoning_tokens": 200, "flags": ["hidden_reasoning"]}, 1.0),
        ({"reasoning_tokens": 200, "reasoning_chars": 900}, 1.2),
        ({"excluded": True, "exclusion_reason": "too_few_tokens", "excluded_from": "speed"}, 1.2),
    ],
    ids=["plain", "hidden reasoning", "hidden and told", "shown reasoning is in both", "out of speed only"],
)
def test_output_ratio(fields: dict[str, Any], ratio: float) -> None:
    assert output(**fields) == (ratio, 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"flags": ["hidden_reasoning"]},
        {"reference_tokens": None},
        {"reference_tokens": 0},
        {"token_source": "tokenizer"},
        {"outcome": "timeout"},
        {"connection_kind": "cold"},
        {"reasoning_tokens": 1200},
        {"excluded": True, "exclusion_reason": "admin", "excluded_from": "all"},
    ],
    ids=lambda fields: next(iter(fields.items()))[0],
)
def test_output_ratio_is_unknown(fields: dict[str, Any]) -> None:
    assert output(**fields) == (None, 0)


def test_input_ratio_needs_the_prompt_that_was_sent() -> None:
    assert expected_input("medium", 1) == 1000
    assert expected_input("medium", 0) is None
    assert expected_input("gone", 1) is None
    assert inflation_of([1.0], [1000], expected=None) == Inflation(1.0, 1, None, 0)


def test_profile_of_the_series_keeps_it() -> None:
    make_sample(make_offering(), AS_OF, output_tokens=900, reference_tokens=1000, input_tokens=1250)

    refresh_profiles(AS_OF)

    profile = SeriesProfile.objects.get()
    assert (profile.output_token_ratio, profile.output_token_samples) == (0.9, 1)
    assert (profile.input_token_ratio, profile.input_token_samples) == (1.25, 1)
