from __future__ import annotations

import datetime as dt

import pytest

from leaderboard.measurements.excluding import Excluded, exclude_samples
from leaderboard.measurements.models import Sample
from tests.factories import make_offering
from tests.measurements.factories import AS_OF, make_samples

pytestmark = pytest.mark.django_db

HOUR = dt.timedelta(hours=1)


def marks() -> list[tuple[bool, str, str]]:
    rows = Sample.objects.order_by("scheduled_at")
    return list(rows.values_list("excluded", "exclusion_reason", "excluded_from"))


def test_samples_of_the_span_are_marked_and_the_others_are_not() -> None:
    offering, other = make_offering(), make_offering()
    make_samples(offering, count=4, every_s=3600)
    make_samples(other, count=1, until=AS_OF - HOUR + dt.timedelta(seconds=1))

    excluded = exclude_samples(offering, since=AS_OF - 2 * HOUR, until=AS_OF, reason="maintenance")

    assert excluded == Excluded(2, (AS_OF.date(),))
    kept, gone = (False, "", ""), (True, "maintenance", "all")
    assert marks() == [kept, gone, gone, kept, kept]


def test_one_kept_out_of_speed_alone_gets_the_new_reason_and_again_changes_nothing() -> None:
    offering = make_offering()
    make_samples(offering, count=1, excluded=True, exclusion_reason="too_few_tokens", excluded_from="speed")

    first = exclude_samples(offering, since=AS_OF, until=AS_OF + HOUR, reason="admin")
    again = exclude_samples(offering, since=AS_OF, until=AS_OF + HOUR, reason="maintenance")

    assert (first.count, again) == (1, Excluded(0, ()))
    assert marks() == [(True, "admin", "all")]


def test_figures_stay_as_they_were_measured() -> None:
    offering = make_offering()
    make_samples(offering, count=1, output_speed_tps=123.25)

    exclude_samples(offering, since=AS_OF, until=AS_OF + HOUR, reason="admin")

    assert Sample.objects.get().output_speed_tps == 123.25


def test_reason_is_one_of_an_operators() -> None:
    with pytest.raises(ValueError, match="'cache_hit' is no reason of an operator's"):
        exclude_samples(make_offering(), since=AS_OF, until=AS_OF + HOUR, reason="cache_hit")
