"""The lists: all offerings, models and providers, filtered and sorted by the address."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.charts.board import catalogue_figure, offering_tradeoff_figure, speed_list_figure
from leaderboard.charts.pictures import pictures
from leaderboard.pages import sentences
from leaderboard.pages.board import load_board
from leaderboard.pages.entries import DEFAULT_SORT, model_entries, provider_entries
from leaderboard.pages.listing import list_context
from leaderboard.pages.requests import page
from leaderboard.ranking.definitions import definition_of
from leaderboard.ranking.filters import parse_filters
from leaderboard.ranking.queries import leaderboard_rows, page_of
from leaderboard.ranking.shown import shown_group


@page
def offerings(request: HttpRequest) -> HttpResponse:
    board = load_board(parse_filters(request.GET))
    sort = board.filters.sort or DEFAULT_SORT
    rows = leaderboard_rows(board.snapshot, board.filters.changed(sort=sort, page=board.filters.page))
    group = shown_group(rows, board.filters)
    shown = page_of(rows, board.filters)
    context = list_context(replace(board, group=group), "/offerings/")
    context |= {
        "section": "offerings",
        "page": shown,
        "sorted_by": sort,
        "pictures": pictures([offering_tradeoff_figure(group.rows, hl=board.filters.hl)])
        if group.rows
        else {},
        "frontier_words": sentences.offering_frontier_sentence(group.rows),
        "some_simulated": any(row.simulated for row in rows),
        "some_real": any(not row.simulated for row in rows),
    }
    return render(request, "pages/offerings.html", context)


@page
def models(request: HttpRequest) -> HttpResponse:
    board = load_board(parse_filters(request.GET))
    rows = board.models
    entries = model_entries(rows, board.filters)
    listed = {entry.id for entry in entries}
    drawn = [row for row in rows if row.model_id in listed]
    definition = definition_of(board.filters.display)
    context = list_context(board, "/models/") | {
        "section": "models",
        "page": page_of(entries, board.filters),
        "sorted_by": board.filters.sort or DEFAULT_SORT,
        "pictures": pictures(
            [speed_list_figure(drawn, simulated=board.group.simulated, definition=definition)]
        )
        if drawn
        else {},
        "speed_words": sentences.speed_sentence(drawn),
    }
    return render(request, "pages/models.html", context)


@page
def providers(request: HttpRequest) -> HttpResponse:
    board = load_board(parse_filters(request.GET))
    rows = board.providers
    entries = provider_entries(rows, board.filters)
    listed = {entry.id for entry in entries}
    drawn = [row for row in rows if row.provider_id in listed]
    context = list_context(board, "/providers/") | {
        "section": "providers",
        "page": page_of(entries, board.filters),
        "sorted_by": board.filters.sort or DEFAULT_SORT,
        "pictures": pictures([catalogue_figure(drawn, simulated=board.group.simulated)]) if drawn else {},
        "catalogue_words": sentences.catalogue_sentence(drawn),
    }
    return render(request, "pages/providers.html", context)
