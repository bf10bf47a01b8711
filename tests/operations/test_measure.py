from __future__ import annotations

import datetime as dt

import pytest

from leaderboard.catalogue.models import Offering
from leaderboard.operations.environment import EnvironmentProblem
from leaderboard.operations.measure import begin_measuring
from tests.factories import make_offering, make_price, make_provider

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 3, 4, 12, 0, tzinfo=dt.UTC)


def measure(*slugs: str) -> list[str]:
    said: list[str] = []
    begin_measuring(slugs, now=NOW, say=said.append)
    return said


def test_drafts_of_the_named_provider_become_active_and_the_forecast_is_said() -> None:
    named, other = make_provider(slug="acme", daily_cap_usd="2"), make_provider(slug="other")
    draft = make_offering(provider=named, probe_state="draft", interval_s=86_400)
    make_price(
        draft, valid_from=NOW - dt.timedelta(days=1), input_usd_per_mtok="0", output_usd_per_mtok="100"
    )
    untouched = make_offering(provider=other, probe_state="draft")

    said = measure("acme")

    assert Offering.objects.get(pk=draft.pk).probe_state == "active"
    assert Offering.objects.get(pk=untouched.pk).probe_state == "draft"
    assert said == [
        "measuring acme: 1 offerings, at most 0.15 USD a day by forecast, capped at 2.00 USD",
    ]


def test_forecast_above_the_cap_and_unknown_prices_are_said() -> None:
    named = make_provider(slug="acme", daily_cap_usd="0.01")
    priced = make_offering(provider=named, probe_state="draft", interval_s=86_400)
    make_price(
        priced, valid_from=NOW - dt.timedelta(days=1), input_usd_per_mtok="0", output_usd_per_mtok="100"
    )
    make_offering(provider=named, probe_state="draft")

    said = measure("acme")

    assert said[0].startswith("measuring acme: 2 offerings, 1 of unknown price, at most ")
    assert "is above the daily cap" in said[1]


def test_provider_that_cannot_be_probed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_API_KEY", raising=False)
    make_provider(slug="keyless", api_key_env="ACME_API_KEY")
    make_provider(slug="forbidden", benchmarks_forbidden=True)
    make_provider(slug="empty")

    problems = {}
    for slug in ("keyles", "nothing-like-it", "keyless", "forbidden", "empty"):
        with pytest.raises(EnvironmentProblem) as caught:
            measure(slug)
        problems[slug] = str(caught.value)

    assert problems == {
        "keyles": "--measure keyles: there is no such provider. Did you mean keyless?",
        "nothing-like-it": "--measure nothing-like-it: there is no such provider. "
        "The providers are listed in the admin.",
        "keyless": "--measure keyless: its key is missing; set ACME_API_KEY, or enter it in the admin.",
        "forbidden": "--measure forbidden: Its terms forbid benchmarks, so it is listed and never probed.",
        "empty": "empty has no offering to measure; add one in the admin.",
    }
