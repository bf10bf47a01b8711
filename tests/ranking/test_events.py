from __future__ import annotations

import datetime as dt

import pytest

from leaderboard.catalogue.models import Offering
from leaderboard.ranking.events import find_events
from leaderboard.ranking.models import Event
from tests.factories import make_offering, make_price
from tests.measurements.factories import AS_OF, make_samples

pytestmark = pytest.mark.django_db

DAY = dt.timedelta(days=1)


def test_a_fall_in_speed_is_stored_once_with_its_instant_and_size() -> None:
    offering = make_offering(public_id="acme~m")
    speeds = [100.0 + n % 5 for n in range(48)] + [62.0 + n % 3 for n in range(8)]
    make_samples(offering, count=56, output_speed_tps=speeds)

    assert find_events(AS_OF) == 1
    assert find_events(AS_OF + dt.timedelta(minutes=10)) == 0

    event = Event.objects.get()
    assert (event.kind, event.column, event.before, event.after) == (
        "speed",
        "output_speed_tps_p50",
        "102.0",
        "63.0",
    )
    assert event.at == AS_OF - 7 * dt.timedelta(hours=3)
    assert event.change == pytest.approx(-0.382, abs=0.001)
    assert event.key == "speed:acme~m:local:medium:2026-07-14T15:00:00.000000Z"


def test_method_versions_are_never_compared() -> None:
    offering = make_offering()
    speeds = [100.0 + n % 5 for n in range(48)] + [62.0 + n % 3 for n in range(8)]
    versions = ["1.0.0"] * 48 + ["2.0.0"] * 8
    make_samples(offering, count=56, output_speed_tps=speeds, methodology_version=versions)

    assert find_events(AS_OF) == 0


def test_an_outage_gets_its_end_and_stays_one_event_however_long_it_lasts() -> None:
    offering = make_offering()
    hour = dt.timedelta(hours=1)
    make_samples(offering, count=1, until=AS_OF - 120 * hour)
    make_samples(offering, count=39, every_s=10_800, outcome="timeout", until=AS_OF - 3 * hour)

    assert find_events(AS_OF - 70 * hour) == 1
    assert find_events(AS_OF - 3 * hour) == 0
    assert Event.objects.get().ended_at is None
    make_samples(offering, count=1)

    assert find_events(AS_OF) == 0
    event = Event.objects.get()
    assert (event.at, event.ended_at) == (AS_OF - 117 * hour, AS_OF)


def test_new_and_retired_offerings_and_price_changes_are_events() -> None:
    offering = make_offering(public_id="acme~m", first_probed_on=AS_OF.date())
    make_price(offering, input_usd_per_mtok="0.10", output_usd_per_mtok="0.40", valid_from=AS_OF - 2 * DAY)
    make_price(offering, input_usd_per_mtok="0.05", output_usd_per_mtok="0.40", valid_from=AS_OF - DAY)
    make_price(offering, input_usd_per_mtok=None, output_usd_per_mtok="0.40", valid_from=AS_OF)
    Offering.objects.update(probe_state="retired", retired_on=AS_OF.date(), retired_reason="withdrawn")

    assert find_events(AS_OF) == 4
    assert find_events(AS_OF) == 0

    told = list(Event.objects.order_by("at", "kind").values_list("kind", "before", "after", "change"))
    assert told == [
        ("price", "0.1", "0.05", -0.5),
        ("added", "", "", None),
        ("retired", "", "", None),
        ("price", "0.05", "", None),
    ]
    assert Event.objects.get(kind="retired").detail == "withdrawn"


def test_offerings_that_were_never_probed_are_no_news() -> None:
    make_offering()

    assert find_events(AS_OF) == 0
