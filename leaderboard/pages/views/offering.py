"""One offering: its headline numbers with their intervals, its history, its last samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from leaderboard.catalogue.models import Offering
from leaderboard.charts.marks import FIRST_TOKEN, OUTPUT_SPEED
from leaderboard.charts.over_time import (
    day_of,
    history_figure,
    hours_figure,
    price_history_figure,
    reliability_figure,
)
from leaderboard.charts.pictures import Figure, pictures
from leaderboard.charts.spreads import distribution_figure
from leaderboard.pages.board import load_board
from leaderboard.pages.histories import daily_of, prices_of, profile_of, recent_events
from leaderboard.pages.listing import list_context
from leaderboard.pages.requests import page
from leaderboard.pages.views.subjects import resting_context
from leaderboard.ranking.filters import parse_filters
from leaderboard.ranking.models import DailySummary, SeriesProfile
from leaderboard.ranking.shown import shown_group


@page
def offering(request: HttpRequest, offering_id: str) -> HttpResponse:
    found = Offering.objects.select_related("provider", "model").filter(public_id=offering_id).first()
    if found is None:
        raise Http404
    board = load_board(parse_filters(request.GET))
    mine = [row for row in board.all_rows if row.offering_id == offering_id]
    group = shown_group(mine, board.filters)
    board = replace(board, group=group)
    row = group.rows[0] if group.rows else None
    profile = profile_of(found, group)
    days = daily_of([found], group, today=timezone.now().date())
    context = list_context(
        board, f"/offerings/{offering_id}/", leave_out=("model", "provider", "creator", "weights")
    )
    context |= {
        "section": "providers",
        "offering": found,
        "row": row,
        "rows": mine,
        "profile": profile,
        "days": days[::-1],
        "prices": prices_of(found)[::-1],
        "pictures": pictures(offering_figures(found, profile, days)),
        "events": recent_events(offerings=[found], limit=10),
        **resting_context(found.provider),
    }
    return render(request, "pages/offering.html", context)


def offering_figures(
    found: Offering, profile: SeriesProfile | None, days: Sequence[DailySummary]
) -> list[Figure]:
    simulated = found.provider.simulated
    figures: list[Figure] = []
    if len({d.day for d in days}) > 1:
        names = {found.pk: found.provider.name}
        figures += [
            history_figure(days, names, OUTPUT_SPEED, simulated=simulated),
            history_figure(days, names, FIRST_TOKEN, simulated=simulated),
        ]
    if days:
        figures.append(
            reliability_figure([day_of(d) for d in days], timezone.now().date(), simulated=simulated)
        )
    if profile is not None:
        figures += profile_figures(profile, simulated=simulated)
    prices = prices_of(found)
    if prices:
        figures.append(price_history_figure(prices, timezone.now()))
    return figures


def profile_figures(profile: SeriesProfile, *, simulated: bool) -> list[Figure]:
    """Distributions and hours of the last 14 days."""
    count = sum(hour["samples"] for hour in profile.hours)
    curves = ((profile.speed_curve_tps, OUTPUT_SPEED), (profile.ttft_curve_ms, FIRST_TOKEN))
    figures = [
        distribution_figure(curve, axis, count=count, simulated=simulated) for curve, axis in curves if curve
    ]
    return [*figures, hours_figure(profile.hours, simulated=simulated)]
