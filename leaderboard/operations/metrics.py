"""/metrics: what an operator watches, in the Prometheus text format. Read from the database at each scrape.

Gauges over the last hour rather than counters: they are the same whichever process answers and after any restart.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from django.db.models import Avg, Count, F, Max, Q
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.models import Sample, Slot
from leaderboard.ranking.models import Snapshot

HOUR = dt.timedelta(hours=1)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(BoardCollector(dt.datetime.now(dt.UTC)))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class BoardCollector(Collector):
    """Four queries a scrape. A figure that does not exist yet is left out, never 0."""

    def __init__(self, now: dt.datetime) -> None:
        self.now = now

    def collect(self) -> Iterable[GaugeMetricFamily]:
        yield from self._slots()
        yield self._samples()
        yield from self._ages()

    def _slots(self) -> Iterator[GaugeMetricFamily]:
        counts = Slot.objects.filter(scheduled_at__gt=self.now - HOUR, scheduled_at__lte=self.now).aggregate(
            planned=Count("pk"),
            finished=Count("pk", filter=Q(finished_at__isnull=False)),
            missed=Count("pk", filter=Q(finished_at__isnull=True, expires_at__lt=self.now)),
            wait=Avg(F("started_at") - F("scheduled_at"), filter=Q(started_at__isnull=False, manual=False)),
        )
        yield gauge("leaderboard_slots_planned", "Probes planned in the last hour.", counts["planned"])
        yield gauge(
            "leaderboard_slots_finished", "Of those, probes whose sample is stored.", counts["finished"]
        )
        yield gauge(
            "leaderboard_slots_missed", "Of those, probes that expired without a sample.", counts["missed"]
        )
        if counts["wait"] is not None:
            yield gauge(
                "leaderboard_probe_start_delay_seconds",
                "Mean time from a scheduled slot to its probe's start, last hour.",
                counts["wait"].total_seconds(),
            )

    def _samples(self) -> GaugeMetricFamily:
        family = GaugeMetricFamily(
            "leaderboard_samples_stored",
            "Samples stored for slots of the last hour, by outcome.",
            labels=["outcome", "simulated"],
        )
        recent = Sample.objects.filter(scheduled_at__gt=self.now - HOUR, scheduled_at__lte=self.now)
        rows = recent.order_by().values_list("outcome", "simulated").annotate(number=Count("*"))
        for outcome, simulated, number in rows:
            family.add_metric([outcome, str(simulated).lower()], number)
        return family

    def _ages(self) -> Iterator[GaugeMetricFamily]:
        moments = {
            ("leaderboard_last_ok_age_seconds", "Age of the newest good sample."): Offering.objects.aggregate(
                at=Max("last_ok_at")
            )["at"],
            (
                "leaderboard_snapshot_age_seconds",
                "Age of the newest complete snapshot.",
            ): Snapshot.objects.filter(is_complete=True).aggregate(at=Max("as_of"))["at"],
        }
        for (name, meaning), moment in moments.items():
            if moment is not None:
                yield gauge(name, meaning, (self.now - moment).total_seconds())


def gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)
