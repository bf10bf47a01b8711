from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.due import offset_s
from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.planning import claim_due, forget_old_slots, plan_now, unsent
from tests.factories import make_offering, make_provider
from tests.measurements.factories import make_sample

pytestmark = pytest.mark.django_db

MIDNIGHT = dt.datetime(2026, 7, 15, tzinfo=dt.UTC)


def slot_time(offering: Offering, workload: str = "medium") -> dt.datetime:
    """The offering's first slot of the day."""
    return MIDNIGHT + dt.timedelta(seconds=offset_s(offering.public_id, workload, offering.interval_s))


def test_a_due_slot_is_claimed_once_however_often_it_is_asked_for() -> None:
    offering = make_offering()
    at = slot_time(offering)

    (claimed,) = claim_due(at)
    again = claim_due(at + dt.timedelta(seconds=5))

    assert (claimed.offering_id, claimed.workload, claimed.scheduled_at) == (offering.pk, "medium", at)
    assert (claimed.probe_location, claimed.manual) == ("local", False)
    assert claimed.expires_at == at + dt.timedelta(seconds=5400)
    assert again == []


def test_the_next_slot_waits_for_the_one_in_flight_and_not_for_a_dead_one() -> None:
    offering = make_offering(interval_s=60)
    at = slot_time(offering)
    (first,) = claim_due(at)
    Slot.objects.filter(pk=first.pk).update(started_at=at)

    assert claim_due(at + dt.timedelta(seconds=60)) == []
    assert claim_due(at + dt.timedelta(seconds=240)) == []
    assert [s.scheduled_at for s in claim_due(at + dt.timedelta(seconds=300))] == [
        at + dt.timedelta(seconds=300)
    ]


def test_ten_at_once_are_planned_once_a_day_beside_the_usual_eight_probes() -> None:
    make_offering(public_id="alfa~model", workloads=["medium", "parallel-10"])
    claimed: list[Slot] = []

    for quarter_hour in range(7 * 96):
        now = MIDNIGHT + dt.timedelta(minutes=15 * quarter_hour)
        new = claim_due(now)
        Slot.objects.filter(pk__in=[slot.pk for slot in new]).update(started_at=now, finished_at=now)
        claimed += [slot for slot in new if slot.scheduled_at >= MIDNIGHT]

    days = Counter((slot.workload, slot.scheduled_at.date()) for slot in claimed)
    assert {number for (workload, _), number in days.items() if workload == "parallel-10"} == {1}
    assert Counter(slot.workload for slot in claimed) == {"medium": 56, "parallel-10": 7}
    daily = [slot for slot in claimed if slot.workload == "parallel-10"]
    assert {slot.scheduled_at.hour // 4 for slot in daily} == set(range(6))
    assert {slot.expires_at - slot.scheduled_at for slot in daily} == {dt.timedelta(hours=12)}


def test_a_finished_slot_frees_its_offering() -> None:
    offering = make_offering(interval_s=60)
    at = slot_time(offering)
    (first,) = claim_due(at)
    Slot.objects.filter(pk=first.pk).update(started_at=at, finished_at=at + dt.timedelta(seconds=20))

    assert len(claim_due(at + dt.timedelta(seconds=60))) == 1


@pytest.mark.parametrize(
    ("of_offering", "of_provider"),
    [
        ({"probe_state": "draft"}, {}),
        ({"probe_state": "paused"}, {}),
        ({"probe_state": "retired", "retired_on": MIDNIGHT.date()}, {}),
        ({"paused_until": MIDNIGHT + dt.timedelta(days=1)}, {}),
        ({"not_before": MIDNIGHT + dt.timedelta(days=1)}, {}),
        ({"workloads": ["unheard-of"]}, {}),
        ({}, {"benchmarks_forbidden": True}),
        ({}, {"opted_out_on": MIDNIGHT.date()}),
        ({}, {"retired_on": MIDNIGHT.date()}),
        ({}, {"paused_reason": "their request"}),
        ({}, {"paused_until": MIDNIGHT + dt.timedelta(days=1)}),
    ],
)
def test_what_must_not_be_probed_is_never_claimed(
    of_offering: dict[str, Any], of_provider: dict[str, Any]
) -> None:
    offering = make_offering(provider=make_provider(**of_provider), **of_offering)

    assert claim_due(slot_time(offering)) == []


def test_a_pause_that_is_over_holds_nothing_up() -> None:
    over = MIDNIGHT - dt.timedelta(days=1)
    offering = make_offering(
        provider=make_provider(paused_reason="maintenance", paused_until=over), paused_until=over
    )

    assert len(claim_due(slot_time(offering))) == 1


def test_an_offering_paused_until_a_time_is_taken_up_again_after_it() -> None:
    until = MIDNIGHT + dt.timedelta(hours=1)
    offering = make_offering(
        public_id="acme~paused",  # its place within the interval follows from its id
        probe_state="paused",
        paused_reason="their request",
        paused_until=until,
        approved_at=MIDNIGHT,
        interval_s=60,
    )

    before = claim_due(until - dt.timedelta(seconds=1))
    claimed = [slot for n in range(0, 60, 5) for slot in claim_due(until + dt.timedelta(seconds=n))]

    offering.refresh_from_db()
    assert (before, len(claimed)) == ([], 1)
    assert (offering.probe_state, offering.paused_reason, offering.paused_until) == ("active", "", None)


def test_a_provider_over_its_daily_cap_waits_until_the_next_day() -> None:
    dear = make_offering(provider=make_provider(daily_cap_usd="0.50"), interval_s=3600)
    at = slot_time(dear) + dt.timedelta(hours=2)
    make_sample(dear, MIDNIGHT, cost_usd="0.50")

    assert claim_due(at) == []
    assert len(claim_due(at + dt.timedelta(days=1))) == 1


def test_a_reached_cap_is_written_on_its_provider_for_the_site_to_say() -> None:
    provider = make_provider(name="Acme", daily_cap_usd="0.50")
    dear = make_offering(provider=provider, interval_s=3600)
    at = slot_time(dear) + dt.timedelta(hours=2)
    make_sample(dear, MIDNIGHT, cost_usd="0.50")

    claim_due(at)

    provider.refresh_from_db()
    assert provider.capped_reason == (
        "Paused until 00:00 UTC: the daily cap of 0.50 USD for Acme is reached."
    )
    next_day = MIDNIGHT + dt.timedelta(days=1)
    assert (provider.capped_until, provider.is_capped(at), provider.is_capped(next_day)) == (
        next_day,
        True,
        False,
    )


def test_a_raised_cap_takes_the_word_back_and_probing_goes_on() -> None:
    provider = make_provider(daily_cap_usd="0.50")
    dear = make_offering(provider=provider, interval_s=3600)
    at = slot_time(dear) + dt.timedelta(hours=2)
    make_sample(dear, MIDNIGHT, cost_usd="0.50")
    claim_due(at)
    type(provider).objects.update(daily_cap_usd="2")

    claimed = claim_due(at)

    provider.refresh_from_db()
    assert (len(claimed), provider.capped_until, provider.capped_reason) == (1, None, "")


def test_the_boards_cap_stops_every_real_provider_and_no_simulated_one() -> None:
    dear = make_offering(provider=make_provider(daily_cap_usd="100"))
    other = make_offering(interval_s=60)
    simulated = make_offering(provider=make_provider(simulated=True), interval_s=60)
    make_sample(dear, MIDNIGHT, cost_usd="5")  # the board's default cap

    claimed = {s.offering_id for n in range(60) for s in claim_due(MIDNIGHT + dt.timedelta(seconds=n))}

    assert claimed == {simulated.pk}
    assert other.pk not in claimed


def test_claiming_costs_the_same_few_queries_for_any_number(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(12):
        make_offering(interval_s=60)

    with django_assert_max_num_queries(12):
        claim_due(MIDNIGHT + dt.timedelta(seconds=30))


def test_probe_now_is_new_once_a_minute_and_never_takes_a_scheduled_slot() -> None:
    offering = make_offering()
    now = MIDNIGHT + dt.timedelta(seconds=42)

    planned = plan_now([offering], times=3, now=now)
    again = plan_now([offering], times=3, now=now + dt.timedelta(seconds=10))
    next_minute = plan_now([offering], times=3, now=now + dt.timedelta(seconds=60))

    assert [s.scheduled_at for s in planned] == [MIDNIGHT + dt.timedelta(milliseconds=n) for n in (1, 2, 3)]
    assert all(s.manual and s.workload == "medium" for s in planned)
    assert (again, len(next_minute)) == ([], 3)


def test_probe_now_leaves_out_providers_that_must_not_be_probed() -> None:
    forbidden = make_offering(provider=make_provider(benchmarks_forbidden=True))
    draft = make_offering(probe_state="draft")

    planned = plan_now([forbidden, draft], workload="short", now=MIDNIGHT)

    assert [(s.offering_id, s.workload) for s in planned] == [(draft.pk, "short")]


def test_a_claim_whose_message_never_left_is_sent_later() -> None:
    offering = make_offering()
    (slot,) = plan_now([offering], now=MIDNIGHT)
    Slot.objects.update(queued_at=MIDNIGHT)

    assert unsent(MIDNIGHT + dt.timedelta(seconds=10)) == []
    assert unsent(MIDNIGHT + dt.timedelta(seconds=20)) == [slot]
    assert unsent(MIDNIGHT + dt.timedelta(hours=1)) == []
    Slot.objects.update(sent_at=MIDNIGHT)
    assert unsent(MIDNIGHT + dt.timedelta(seconds=20)) == []


def test_slots_are_forgotten_after_40_days_and_their_samples_are_not() -> None:
    offering = make_offering()
    plan_now([offering], now=MIDNIGHT - dt.timedelta(days=41))
    (kept,) = plan_now([offering], now=MIDNIGHT - dt.timedelta(days=39))
    make_sample(offering, MIDNIGHT - dt.timedelta(days=41))

    assert forget_old_slots(MIDNIGHT) == 1
    assert list(Slot.objects.all()) == [kept]
    assert Sample.objects.count() == 1
