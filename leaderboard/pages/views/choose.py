"""Which should I take: the offerings that fit a visitor's own requests, cheapest first."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.pages.board import load_board
from leaderboard.pages.lens import lens_context
from leaderboard.pages.listing import NOT_IN_FILES
from leaderboard.pages.requests import page
from leaderboard.ranking.choosing import choices_of, fields_of, read_need
from leaderboard.ranking.filters import parse_filters


@page
def choosing(request: HttpRequest) -> HttpResponse:
    board = load_board(parse_filters(request.GET))
    need = read_need(request.GET)
    query = "&".join(filter(None, (board.filters.query(leave_out=NOT_IN_FILES), urlencode(fields_of(need)))))
    context = {
        "board": board,
        "filters": board.filters,
        "path": "/choose/",
        "need": need,
        "models": sorted(
            {(row.model_id, row.model_name) for row in board.rows}, key=lambda m: m[1].casefold()
        ),
        "choices": choices_of(board.all_rows, board.filters, need),
        "file_query": f"?{query}" if query else "",
        **lens_context(board, own_fields=fields_of(need)),
    }
    return render(request, "pages/choose.html", context)
