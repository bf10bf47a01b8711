"""/metrics: what an operator watches, in the Prometheus text format. Read from the database at each scrape.

Gauges over the last hour rather than counters: they are the same whichever process answers and after any restart.
The page is public, so it counts providers in trouble and never names them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from leaderboard.operations import watching
from leaderboard.operations.models import Alarm


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(BoardCollector(dt.datetime.now(dt.UTC)))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class BoardCollector(Collector):
    """Nine queries and one look at the broker a scrape. A figure that does not exist yet is left out, never 0."""

    def __init__(self, now: dt.datetime) -> None:
        self.now = now

    def collect(self) -> Iterable[GaugeMetricFamily]:
        yield from self._slots()
        yield self._samples()
        yield self._queues()
        yield from self._ages()
        yield from self._troubles()

    def _slots(self) -> Iterator[GaugeMetricFamily]:
        counts = watching.slot_counts(self.now)
        yield gauge("leaderboard_slots_planned", "Probes planned in the last hour.", counts.planned)
        yield gauge("leaderboard_slots_finished", "Of those, probes whose sample is stored.", counts.finished)
        yield gauge(
            "leaderboard_slots_missed", "Of those, probes that expired without a sample.", counts.missed
        )
        yield gauge(
            "leaderboard_slots_waiting", "Of those, probes that no worker took up yet.", counts.waiting
        )
        yield from known(
            "leaderboard_slot_oldest_wait_seconds",
            "How long the first of the waiting probes has waited.",
            counts.oldest_wait_s,
        )
        yield from known(
            "leaderboard_probe_start_delay_seconds",
            "Mean time from a scheduled slot to its probe's start, last hour.",
            counts.start_delay_s,
        )

    def _samples(self) -> GaugeMetricFamily:
        family = GaugeMetricFamily(
            "leaderboard_samples_stored",
            "Samples stored for slots of the last hour, by outcome.",
            labels=["outcome", "simulated"],
        )
        for (outcome, simulated), number in watching.outcomes(self.now).items():
            family.add_metric([outcome, str(simulated).lower()], number)
        return family

    def _queues(self) -> GaugeMetricFamily:
        family = GaugeMetricFamily(
            "leaderboard_broker_queue_messages",
            "Messages that wait at the broker, by queue.",
            labels=["queue"],
        )
        for queue, length in watching.queue_lengths(watching.known_queues(self.now)).items():
            family.add_metric([queue], length)
        return family

    def _ages(self) -> Iterator[GaugeMetricFamily]:
        yield from known_age(
            "leaderboard_last_ok_age_seconds",
            "Age of the newest good sample.",
            watching.last_ok_age(self.now),
        )
        yield from known_age(
            "leaderboard_snapshot_age_seconds",
            "Age of the newest complete snapshot.",
            watching.snapshot_age(self.now),
        )

    def _troubles(self) -> Iterator[GaugeMetricFamily]:
        yield gauge(
            "leaderboard_partitions_ahead",
            "Months after this one whose sample partition is made; -1 where this month's is missing.",
            watching.partitions_ahead(self.now),
        )
        yield gauge(
            "leaderboard_providers_over_budget",
            "Real providers that wait for tomorrow's budget.",
            len(watching.providers_at_cap(self.now)),
        )
        yield gauge(
            "leaderboard_providers_refusing_key",
            "Real providers that refuse our key or account.",
            len(watching.refusing_providers(self.now)),
        )
        yield gauge(
            "leaderboard_alarms_ringing",
            "Conditions that need a person now.",
            Alarm.objects.filter(ended_at__isnull=True).count(),
        )


def gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)


def known(name: str, meaning: str, value: float | None) -> Iterator[GaugeMetricFamily]:
    if value is not None:
        yield gauge(name, meaning, value)


def known_age(name: str, meaning: str, age: dt.timedelta | None) -> Iterator[GaugeMetricFamily]:
    return known(name, meaning, None if age is None else age.total_seconds())
