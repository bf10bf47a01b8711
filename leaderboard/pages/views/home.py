"""The home page: the answer in the first screen, the evidence one click behind."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from leaderboard.catalogue.models import Offering
from leaderboard.charts.board import by_definition, by_first_token, by_speed, home_figures
from leaderboard.charts.pictures import pictures
from leaderboard.pages import sentences
from leaderboard.pages.board import Board, load_board
from leaderboard.pages.histories import recent_events
from leaderboard.pages.lens import lens_context
from leaderboard.pages.listing import NOT_IN_FILES, with_query
from leaderboard.pages.registered import registered_providers
from leaderboard.pages.requests import page
from leaderboard.pages.tiles import tiles
from leaderboard.ranking.definitions import definition_of, moves
from leaderboard.ranking.filters import parse_filters
from leaderboard.ranking.groups import ProviderRow
from leaderboard.ranking.models import Event


@page
def home(request: HttpRequest) -> HttpResponse:
    board = load_board(parse_filters(request.GET))
    context = empty_board() if board.is_empty else measured_board(board)
    return render(request, "pages/home.html", {"board": board, "filters": board.filters, **context})


def empty_board() -> dict[str, object]:
    """Providers with a list price first of all; the many that are only known by name stand folded below."""
    found = registered_providers()
    return {
        "registered": [row for row in found if row.models],
        "bare": [row for row in found if not row.models],
        "last_ok_at": Offering.objects.aggregate(newest=Max("last_ok_at"))["newest"],
    }


def measured_board(board: Board) -> dict[str, object]:
    models, providers = board.models, board.providers
    simulated, provisional = board.group.simulated, board.group.is_provisional
    definition = definition_of(board.filters.display)
    query = board.filters.query(leave_out=(*NOT_IN_FILES, "sort"))
    return lens_context(board) | {
        "tiles": tiles(board.rows),
        "pictures": pictures(home_figures(models, providers, simulated=simulated, definition=definition)),
        "by_speed": by_speed(models),
        "by_definition": by_definition(models, definition),
        "moves": {} if definition.is_default else moves(models, definition),
        "file_query": f"&{query}" if query else "",
        "picture_query": with_query("", board.filters, leave_out=("page", "view", "sort")),
        "by_first_token": by_first_token(models),
        "by_models_served": sorted(providers, key=lambda p: (-p.models_served, p.provider_name)),
        "events": week_events(board),
        "by_likeness": by_likeness(providers),
        "speed_words": sentences.speed_sentence(models),
        "ttft_words": sentences.ttft_sentence(models),
        "frontier_words": sentences.model_frontier_sentence(models, provisional=provisional),
        "catalogue_words": sentences.catalogue_sentence(providers),
        "samples": sum(row.samples_ok for row in board.rows),
        "is_late": board.is_late(timezone.now()),
        "frontier": [m for m in by_speed(models) if m.frontier_speed_ttft],
    }


def week_events(board: Board, count: int = 5) -> list[Event]:
    """The newest changes of the last week; simulated ones only beside simulated figures, announced ones not yet."""
    now = timezone.now()
    return recent_events(
        since=now - dt.timedelta(days=7), until=now, limit=count, simulated=board.group.simulated
    )


def by_likeness(providers: Sequence[ProviderRow], count: int = 4) -> list[ProviderRow]:
    """The providers furthest ahead of the others on the models they share."""
    known = [
        (-p.like_for_like_speed, p.provider_name, p) for p in providers if p.like_for_like_speed is not None
    ]
    return [row for _, _, row in sorted(known)[:count]]
