from __future__ import annotations

import datetime as dt

import pytest

from leaderboard.operations.onboarding.attention import Item, refused_items
from tests.factories import make_offering, make_provider
from tests.measurements.factories import AS_OF, make_sample

pytestmark = pytest.mark.django_db

HOUR = dt.timedelta(hours=1)


@pytest.mark.parametrize("outcome", ["auth", "billing"])
def test_a_refused_key_asks_for_attention(outcome: str) -> None:
    offering = make_offering(provider=make_provider(slug="acme", name="Acme"), last_ok_at=AS_OF - 2 * HOUR)
    make_sample(offering, AS_OF - HOUR, outcome=outcome)

    assert list(refused_items(AS_OF)) == [
        Item("The key of Acme is refused, or its account has no credit.", "/admin/add-provider/acme/test/")
    ]


def test_one_that_was_accepted_since_or_long_ago_does_not() -> None:
    since = make_offering(last_ok_at=AS_OF)
    make_sample(since, AS_OF - HOUR, outcome="auth")
    make_sample(make_offering(), AS_OF - 25 * HOUR, outcome="auth")
    make_sample(make_offering(), AS_OF - HOUR, outcome="timeout")

    assert list(refused_items(AS_OF)) == []
