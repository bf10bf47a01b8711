"""Charts as files: the view's picture at its path with .svg or .png."""

from __future__ import annotations

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse

from leaderboard.charts.board import (
    catalogue_figure,
    home_figures,
    offering_tradeoff_figure,
    speed_list_figure,
)
from leaderboard.charts.pictures import Figure, pictures, with_origin
from leaderboard.charts.standalone import Imprint, standalone
from leaderboard.charts.subjects import price_figure
from leaderboard.charts.theme import WIDE
from leaderboard.pages.board import Board, load_board
from leaderboard.pages.entries import model_entries, provider_entries
from leaderboard.pages.numbers import instant
from leaderboard.pages.requests import page
from leaderboard.pages.views.subjects import provider_figures, ratios_to_medians, subject_board
from leaderboard.pages.views.trade import frontier_board, frontier_figure
from leaderboard.ranking.endpoints import own_gpus_of
from leaderboard.ranking.filters import parse_filters
from leaderboard.ranking.queries import leaderboard_rows
from leaderboard.ranking.shown import shown_group


@page
def home_chart(request: HttpRequest, chart: str, ending: str) -> HttpResponse:
    board = load_board(parse_filters(request.GET))
    figures = home_figures(board.models, board.providers, simulated=board.group.simulated)
    figure = next((f for f in figures if f.chart == chart), None)
    if figure is None or board.is_empty:
        raise Http404
    return picture_response(request, figure, board, ending)


@page
def list_chart(request: HttpRequest, view: str, ending: str) -> HttpResponse:
    board = load_board(parse_filters(request.GET))
    if view == "offerings":
        rows = leaderboard_rows(board.snapshot, board.filters)
        board = replace(board, group=shown_group(rows, board.filters))
        figure = offering_tradeoff_figure(board.rows, hl=board.filters.hl)
    elif view == "models":
        listed = {entry.id for entry in model_entries(board.models, board.filters)}
        shown = [row for row in board.models if row.model_id in listed]
        figure = speed_list_figure(shown, simulated=board.group.simulated)
    else:
        found = {entry.id for entry in provider_entries(board.providers, board.filters)}
        carried = [row for row in board.providers if row.provider_id in found]
        figure = catalogue_figure(carried, simulated=board.group.simulated)
    return picture_response(request, figure, board, ending)


def picture_response(request: HttpRequest, figure: Figure, board: Board, ending: str) -> HttpResponse:
    """The wide picture with its imprint; drawn once and kept like the page's own."""
    origin = f"{request.scheme}://{request.get_host()}"
    drawn = pictures([figure])[figure.chart]
    imprint = Imprint(
        title=title_of(figure, board),
        as_of=instant(board.as_of) if board.as_of else "no snapshot yet",
        method=board.snapshot.methodology_version if board.snapshot else "",
        address=f"{origin}{request.path.rpartition('.')[0]}",
    )
    svg = standalone(with_origin(drawn.svgs[WIDE], origin), imprint)
    if ending == "svg":
        return HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    # Imported here: vl-convert costs memory that a process serving pages alone is spared.
    from leaderboard.charts.rendering import draw_png

    return HttpResponse(draw_png(svg), content_type="image/png")


def title_of(figure: Figure, board: Board) -> str:
    place = f", {board.group.workload} prompts from {board.group.probe_location}" if board.rows else ""
    return f"{figure.label}{place}"


@page
def frontier_chart(request: HttpRequest, ending: str) -> HttpResponse:
    board, x, y = frontier_board(request)
    return picture_response(request, frontier_figure(board, x, y), board, ending)


@page
def model_chart(request: HttpRequest, creator: str, model: str, ending: str) -> HttpResponse:
    """The model's first chart: speed against price."""
    board, rows = subject_board(request, model=(f"{creator}/{model}",))
    if not rows:
        raise Http404
    own = own_gpus_of(f"{creator}/{model}", simulated=board.group.simulated)
    return picture_response(request, price_figure(board.rows, own), board, ending)


@page
def provider_chart(request: HttpRequest, provider: str, ending: str) -> HttpResponse:
    """The provider's first chart: its models against everyone who serves the same."""
    board, _ = subject_board(request, provider=(provider,))
    figures = provider_figures(board, ratios_to_medians(board, board.all_rows))
    if not figures:
        raise Http404
    return picture_response(request, figures[0], board, ending)
