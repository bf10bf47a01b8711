"""What happened and how it goes: changes, our own status, and the search."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.charts.pictures import Figure, pictures
from leaderboard.charts.work import work_figure
from leaderboard.pages.requests import page
from leaderboard.ranking.filters import BadFilter, parse_filters
from leaderboard.ranking.models import Event, Snapshot
from leaderboard.ranking.queries import latest_snapshot
from leaderboard.ranking.watching import Watch, hours_of_work, watch

EVENTS_SHOWN = 200
FOUND_SHOWN = 30
LATE_S = 15 * 60


@page
def changes(request: HttpRequest) -> HttpResponse:
    kinds = [kind for kind in request.GET.getlist("kind") if kind]
    for kind in kinds:
        if kind not in Event.Kind.values:
            raise BadFilter("kind", kind, ", ".join(Event.Kind.values))
    events = Event.objects.select_related("offering__provider", "offering__model")
    if kinds:
        events = events.filter(kind__in=kinds)
    days: defaultdict[dt.date, list[Event]] = defaultdict(list)
    for event in events[:EVENTS_SHOWN]:
        days[event.at.astimezone(dt.UTC).date()].append(event)
    context = {"days": dict(days), "kinds": Event.Kind.values, "chosen": kinds, "path": "/changes/"}
    return render(request, "pages/changes.html", context)


@page
def status(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    seen = watch(now)
    outages = Event.objects.filter(kind=Event.Kind.OUTAGE).select_related(
        "offering__provider", "offering__model"
    )
    context = {
        "watch": seen,
        "verdict": verdict(seen),
        "pictures": pictures(work_figures(latest_snapshot(), now)),
        "open_outages": outages.filter(ended_at=None)[:20],
        "outages": outages.exclude(ended_at=None)[:20],
    }
    return render(request, "pages/status.html", context)


def work_figures(snapshot: Snapshot | None, now: dt.datetime) -> list[Figure]:
    """As the hours stood when the snapshot was made; they change with each probe, too often to be drawn ahead."""
    hours = hours_of_work(snapshot.made_at if snapshot else now)
    return [work_figure(hours)] if any(hour.planned for hour in hours) else []


def verdict(seen: Watch) -> str:
    """One sentence on our own work; a provider's outage is not ours."""
    if seen.newest_sample_age_s is None:
        return "Nothing has been measured yet."
    if seen.planned and not seen.done:
        return "Our probes are down: none of the last day’s planned probes was done."
    if seen.coverage is not None and seen.coverage < 0.9:
        return "We measure less than planned."
    if seen.snapshot_age_s is not None and seen.snapshot_age_s > LATE_S:
        return "The board is late: its last snapshot is older than a quarter of an hour."
    return "All of our own work is on time."


@page
def search(request: HttpRequest) -> HttpResponse:
    """Models, providers and offerings whose names hold every word; at most three queries."""
    text = parse_filters(request.GET).q
    context: dict[str, object] = {"search_text": text, "models": [], "providers": [], "offerings": []}
    if text:
        models, providers = LanguageModel.objects.all(), Provider.objects.all()
        offerings = Offering.objects.select_related("provider", "model")
        for word in text.split()[:8]:
            models = models.filter(name__icontains=word) | models.filter(slug__icontains=word)
            providers = providers.filter(name__icontains=word) | providers.filter(slug__icontains=word)
            offerings = (
                offerings.filter(public_id__icontains=word)
                | offerings.filter(model__name__icontains=word)
                | offerings.filter(provider__name__icontains=word)
            )
        context |= {
            "models": models[:FOUND_SHOWN],
            "providers": providers[:FOUND_SHOWN],
            "offerings": offerings[:FOUND_SHOWN],
        }
    return render(request, "pages/search.html", context)
