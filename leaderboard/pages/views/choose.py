"""Which should I take: the offerings that fit a visitor's own requests, cheapest first."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from leaderboard.pages.board import load_board
from leaderboard.pages.requests import page
from leaderboard.ranking.choosing import Need, choose
from leaderboard.ranking.filters import BadFilter, parse_filters

MOST_TOKENS, MOST_REQUESTS, LONGEST_MS = 10_000_000, 1_000_000_000, 86_400_000


@page
def choosing(request: HttpRequest) -> HttpResponse:
    board = load_board(parse_filters(request.GET))
    need = read_need(request.GET)
    wanted = board.filters.model
    rows = [row for row in board.rows if not wanted or row.model_id in wanted]
    context = {
        "board": board,
        "filters": board.filters,
        "path": "/choose/",
        "need": need,
        "models": sorted(
            {(row.model_id, row.model_name) for row in board.rows}, key=lambda m: m[1].casefold()
        ),
        "choices": choose(rows, need),
    }
    return render(request, "pages/choose.html", context)


def read_need(asked: QueryDict) -> Need:
    usual = Need()
    need = Need(
        input=count(asked, "input", usual.input, most=MOST_TOKENS),
        cached=count(asked, "cached", usual.cached, most=MOST_TOKENS),
        output=count(asked, "output", usual.output, least=1, most=MOST_TOKENS),
        limit_ms=count(asked, "limit_ms", 0, most=LONGEST_MS) or None,
        requests=count(asked, "requests", usual.requests, least=1, most=MOST_REQUESTS),
    )
    if need.cached > need.input:
        raise BadFilter("cached", str(need.cached), f"at most input, here {need.input}")
    return need


def count(asked: QueryDict, name: str, usual: int, *, most: int, least: int = 0) -> int:
    text = asked.get(name, "").strip()
    if not text:
        return usual
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and least <= int(text) <= most):
        raise BadFilter(name, text, f"a whole number from {least} to {most}")
    return int(text)
