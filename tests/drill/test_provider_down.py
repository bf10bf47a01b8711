"""A provider that is down for a whole day, under a clock moved by hand: it is asked as often as before and no more,
its failures are counted, its rank goes and comes back, and nobody else's figures move."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

import pytest
import time_machine

from leaderboard.catalogue.models import Offering
from leaderboard.measurements import probing
from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.planning import claim_due
from leaderboard.operations.alarms.conditions import ringing
from leaderboard.ranking.events import find_events
from leaderboard.ranking.models import Event, Summary
from leaderboard.ranking.summarise import make_snapshot
from leaderboard.ranking.watching import watch
from probes.endpoint import Endpoint
from probes.result import ProbeResult
from probes.workloads import Workload
from tests.factories import make_offering, make_provider

pytestmark = [pytest.mark.django_db, pytest.mark.drill]

HOUR = dt.timedelta(hours=1)
BEGIN = dt.datetime(2026, 7, 6, tzinfo=dt.UTC)
DOWN_FROM, DOWN_UNTIL = BEGIN + 96 * HOUR, BEGIN + 120 * HOUR
END = BEGIN + 126 * HOUR
ADDRESSES = {"well": "https://well.example.com/v1", "down": "https://down.example.com/v1"}


class Day:
    """Two providers, each asked once an hour; the clock stands at each hour's end in turn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = BEGIN
        self.offerings = {
            name: make_offering(
                public_id=name, provider=make_provider(slug=name, base_url=address), interval_s=3600
            )
            for name, address in ADDRESSES.items()
        }
        Offering.objects.update(first_probed_on=BEGIN.date())
        monkeypatch.setattr(probing, "run_workload", self.answer)

    async def answer(self, endpoint: Endpoint, workload: Workload) -> list[ProbeResult]:
        """What a probe brings back: good figures that wander a little, or nothing in time."""
        said = {"request_id": "r", "started_at": self.now, "workload": workload.slug, "workload_version": 1}
        if endpoint.base_url == ADDRESSES["down"] and DOWN_FROM <= self.now < DOWN_UNTIL:
            return [
                ProbeResult(
                    **said,
                    outcome="timeout",
                    detail="timeout_first_token",
                    fault="provider",
                    message="silence",
                )
            ]
        speed = 100.0 + self.now.hour % 7
        return [
            ProbeResult(
                **said,
                outcome="ok",
                ttft_ms=200.0,
                ttfat_ms=200.0,
                output_speed_tps=speed,
                end_to_end_ms=5200.0,
                input_tokens=1000,
                output_tokens=1000,
            )
        ]

    def run_until(self, end: dt.datetime) -> None:
        """Every quarter of an hour what is due is claimed, and measured at once."""
        while self.now < end:
            self.now += dt.timedelta(minutes=15)
            with time_machine.travel(self.now, tick=False):
                for slot in claim_due(self.now):
                    taken = probing.take_up(slot.pk, self.now)
                    assert taken is not None
                    probing.measure(taken)

    def row(self, name: str) -> Summary:
        snapshot = make_snapshot(as_of=self.now)
        return snapshot.summaries.get(offering=self.offerings[name])

    def pauses(self, name: str) -> set[dt.timedelta]:
        """Between the starts of one probe and the next; the very first may make up for the slot before."""
        begun = Slot.objects.filter(offering=self.offerings[name]).order_by("started_at")
        starts = [start for start in begun.values_list("started_at", flat=True) if start is not None]
        return {later - earlier for earlier, later in pairwise(starts[1:])}


@pytest.fixture
def day(monkeypatch: pytest.MonkeyPatch) -> Day:
    return Day(monkeypatch)


def test_a_day_down_is_counted_told_and_over(day: Day) -> None:
    day.run_until(DOWN_FROM)
    before = day.row("down")
    assert (before.standing, before.freshness, before.uptime) == ("official", "fresh", 1.0)

    day.run_until(DOWN_UNTIL)
    down, well = day.row("down"), day.row("well")
    assert (down.freshness, down.rank_speed) == ("stale", None)
    assert down.uptime == 48 / 72
    assert (down.samples_total, down.samples_ok) == (72, 48)
    assert down.output_speed_tps_p50 is not None, "what was measured while it was up stays"
    assert (well.freshness, well.uptime, well.rank_speed) == ("fresh", 1.0, 1)
    with time_machine.travel(day.now, tick=False):
        find_events(day.now)
        assert [silent.offering_id for silent in watch(day.now).silent] == ["down"]
        assert watch(day.now).coverage == 1.0, "a failure is a sample: nothing of the plan is missing"
        # The test's tables end with the month, and its snapshots are made by hand: no more than that may ring.
        assert {alarm.name for alarm in ringing(day.now)} <= {"missing-partition", "late-snapshot"}
    outage = Event.objects.get(kind=Event.Kind.OUTAGE)
    assert (outage.offering, outage.ended_at) == (day.offerings["down"], None)
    assert DOWN_FROM <= outage.at < DOWN_FROM + HOUR

    day.run_until(END)
    after = day.row("down")
    assert (after.freshness, after.standing, after.samples_ok) == ("fresh", "official", 48)
    assert after.rank_speed is not None
    find_events(day.now)
    outage = Event.objects.get(kind=Event.Kind.OUTAGE)
    assert outage.ended_at is not None
    assert DOWN_UNTIL <= outage.ended_at < DOWN_UNTIL + HOUR


def test_who_is_down_is_asked_no_more_often(day: Day) -> None:
    """One probe an hour all along, and no more the hour after: what was missed is not made up for."""
    day.run_until(END)

    for name, offering in day.offerings.items():
        assert day.pauses(name) == {HOUR}, name
        assert Sample.objects.filter(offering=offering).count() in (126, 127), (
            "the slot before may still be due"
        )
