"""One model and one provider: the evidence behind the board's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.charts.comparisons import ratio_figure
from leaderboard.charts.marks import FIRST_TOKEN, OUTPUT_SPEED
from leaderboard.charts.over_time import (
    day_of,
    history_figure,
    reliability_figure,
)
from leaderboard.charts.pictures import Figure, pictures
from leaderboard.charts.scatters import price_figure, scatter_figure
from leaderboard.charts.spreads import speed_spread_figure, ttft_spread_figure
from leaderboard.pages import sentences
from leaderboard.pages.board import Board, load_board
from leaderboard.pages.entries import DEFAULT_SORT
from leaderboard.pages.histories import daily_of, recent_events
from leaderboard.pages.listing import list_context
from leaderboard.pages.registered import listed_offerings, listed_sentence
from leaderboard.pages.requests import page
from leaderboard.ranking.endpoints import GpuEndpointRow, own_gpus_of
from leaderboard.ranking.filters import Filters, parse_filters
from leaderboard.ranking.groups import voting
from leaderboard.ranking.percentiles import median_of_medians
from leaderboard.ranking.queries import leaderboard_rows
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.shown import shown_group

LISTED = 5
WORST_STRIPS = 5
MODEL_DAYS = 30


def subject_board(filters: Filters, **subject: tuple[str, ...]) -> tuple[Board, list[LeaderboardRow]]:
    """The board with the subject's own group, and the subject's rows as its file has them."""
    board = load_board(filters)
    sort = board.filters.sort or DEFAULT_SORT
    rows = leaderboard_rows(board.snapshot, board.filters.changed(sort=sort, **subject))
    return replace(board, group=shown_group(rows, board.filters)), rows


@page
def model(request: HttpRequest, creator: str, model: str) -> HttpResponse:
    slug = f"{creator}/{model}"
    found = LanguageModel.objects.select_related("superseded_by").filter(slug=slug).first()
    if found is None:
        raise Http404
    board, rows = subject_board(parse_filters(request.GET), model=(slug,))
    offerings = list(found.offerings.select_related("provider"))
    own = own_gpus_of(slug, simulated=board.group.simulated)
    context = list_context(board, f"/models/{slug}/", leave_out=("model", "creator", "weights"))
    context |= {
        "section": "models",
        "model": found,
        "rows": rows,
        "sorted_by": board.filters.sort or DEFAULT_SORT,
        "offerings": offerings,
        "contexts": {o.public_id: o.context_tokens or found.context_tokens for o in offerings},
        "top": top_lists(board.rows),
        "words": sentences.spread_sentence(board.rows),
        "frontier_words": sentences.offering_frontier_sentence(board.rows),
        "pictures": pictures(model_figures(board, offerings, own)),
        "own": own,
        "events": recent_events(offerings=offerings),
        "relatives": [] if rows else relatives_of(found),
        **listed_context(offerings, rows),
        "some_simulated": any(row.simulated for row in rows),
    }
    return render(request, "pages/model.html", context)


def model_figures(
    board: Board, offerings: Sequence[Offering], own: Sequence[GpuEndpointRow] = ()
) -> list[Figure]:
    rows = board.rows
    figures: list[Figure] = []
    if any(r.is_ranked or r.is_provisional for r in rows):
        figures += [
            price_figure(rows, own),
            speed_spread_figure(rows),
            ttft_spread_figure(rows),
            scatter_figure(
                rows, x=FIRST_TOKEN.column, y=OUTPUT_SPEED.column, hl=board.filters.hl, short_names=True
            ),
        ]
    return figures + history_figures(board, offerings)


def history_figures(board: Board, offerings: Sequence[Offering]) -> list[Figure]:
    """Speed and first token by day; the order of the lines is that of the ranking."""
    days = daily_of(offerings, board.group, today=timezone.now().date(), days=MODEL_DAYS)
    if len({day.day for day in days}) < 2:
        return []
    order = {row.offering_id: place for place, row in enumerate(board.rows)}
    ranked = sorted(offerings, key=lambda o: (order.get(o.public_id, len(order)), o.public_id))
    names = {o.pk: f"{o.provider.name} {o.variant}".strip() for o in ranked}
    simulated = board.group.simulated
    return [
        history_figure(days, names, OUTPUT_SPEED, simulated=simulated),
        history_figure(days, names, FIRST_TOKEN, simulated=simulated),
    ]


def top_lists(rows: Sequence[LeaderboardRow]) -> dict[str, list[LeaderboardRow]]:
    """The five best by speed, first token and blended price, over the ranked rows or else the provisional ones."""
    compared = [r for r in rows if r.is_ranked] or [r for r in rows if r.is_provisional]
    keys = {
        "fastest": ("output_speed_tps_p50", -1),
        "soonest": ("ttft_ms_p50", 1),
        "cheapest": ("blended_usd_per_mtok", 1),
    }
    lists = {}
    for name, (column, sign) in keys.items():
        known = [r for r in compared if getattr(r, column) is not None]
        lists[name] = sorted(known, key=lambda r: (sign * getattr(r, column), r.offering_id))[:LISTED]
    return lists


def listed_context(offerings: Sequence[Offering], rows: Sequence[LeaderboardRow]) -> dict[str, Any]:
    """What is sold beside the rows of this view, with list prices; one query."""
    listed = listed_offerings(offerings, measured={row.offering_id for row in rows})
    return {
        "listed": listed,
        "listed_words": listed_sentence(len(listed), measured=len(rows)),
        "was_measured": any(o.first_probed_on for o in offerings),
    }


def resting_context(provider: Provider) -> dict[str, bool]:
    now = timezone.now()
    return {"is_paused": provider.is_paused(now), "is_capped": provider.is_capped(now)}


def relatives_of(model: LanguageModel) -> list[LanguageModel]:
    """Other models of the same creator that somebody serves: the way on from an empty page."""
    return list(
        LanguageModel.objects.filter(creator=model.creator, offerings__probe_state="active")
        .exclude(pk=model.pk)
        .distinct()[:LISTED]
    )


@page
def provider(request: HttpRequest, provider: str) -> HttpResponse:
    found = Provider.objects.filter(slug=provider).first()
    if found is None:
        raise Http404
    board, rows = subject_board(parse_filters(request.GET), provider=(provider,))
    offerings = list(found.offerings.select_related("model", "provider"))
    ratios = ratios_to_medians(board, board.all_rows)
    context = list_context(board, f"/providers/{provider}/", leave_out=("provider",))
    context |= {
        "section": "providers",
        "provider": found,
        "rows": [(row, ratios.get(row.offering_id, (None, None))) for row in rows],
        "sorted_by": board.filters.sort or DEFAULT_SORT,
        "offerings": offerings,
        "pictures": pictures(provider_figures(board, ratios)),
        "strips": strips(board, offerings),
        **listed_context(offerings, rows),
        **resting_context(found),
        "events": recent_events(offerings=offerings),
        "some_simulated": any(row.simulated for row in rows),
    }
    return render(request, "pages/provider.html", context)


def ratios_to_medians(
    board: Board, all_rows: Sequence[LeaderboardRow]
) -> dict[str, tuple[float | None, float | None]]:
    """Each offering's speed and first token over its model's medians, where others serve it too."""
    group = board.group
    found: dict[str, tuple[float | None, float | None]] = {}
    for row in group.rows:
        peers = [
            r
            for r in all_rows
            if r.model_id == row.model_id
            and (r.probe_location, r.workload, r.simulated)
            == (group.probe_location, group.workload, group.simulated)
        ]
        votes = voting(peers)
        if len({r.provider_id for r in votes}) < 2:
            continue
        found[row.offering_id] = (
            over(row.output_speed_tps_p50, median_of_medians(r.output_speed_tps_p50 for r in votes)),
            over(row.ttft_ms_p50, median_of_medians(r.ttft_ms_p50 for r in votes)),
        )
    return found


def over(value: float | None, median: float | None) -> float | None:
    return None if value is None or not median else value / median


def provider_figures(board: Board, ratios: dict[str, tuple[float | None, float | None]]) -> list[Figure]:
    shown = [
        (row, speed)
        for row in board.rows
        if (speed := ratios.get(row.offering_id, (None, None))[0]) is not None
        and (row.is_ranked or row.is_provisional)
    ]
    return [ratio_figure(shown, simulated=board.group.simulated)] if shown else []


def strips(board: Board, offerings: Sequence[Offering]) -> list[dict[str, Any]]:
    """Reliability of the worst five by success rate, each with its strip."""
    found = strip_figures(board, offerings)
    drawn = pictures([figure for _, figure in found])
    return [{"row": row, "picture": drawn[figure.chart]} for row, figure in found]


def strip_figures(board: Board, offerings: Sequence[Offering]) -> list[tuple[LeaderboardRow, Figure]]:
    worst = sorted(
        (row for row in board.rows if row.success_rate is not None),
        key=lambda r: (r.success_rate or 0, r.offering_id),
    )[:WORST_STRIPS]
    wanted = {o.public_id: o for o in offerings if o.public_id in {row.offering_id for row in worst}}
    today = timezone.now().date()
    days = daily_of(wanted.values(), board.group, today=today)
    return [
        (
            row,
            reliability_figure(
                [day_of(d) for d in days if d.offering_id == wanted[row.offering_id].pk],
                today,
                simulated=row.simulated,
                name=row.model_name,
                suffix=f"-{number}",
            ),
        )
        for number, row in enumerate(worst)
    ]
