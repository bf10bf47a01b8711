"""The trade-off by any two measures, and offerings side by side."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.charts.comparisons import compare_figures
from leaderboard.charts.marks import FIRST_TOKEN, OUTPUT_SPEED, SCATTER_AXES
from leaderboard.charts.pictures import Figure, pictures
from leaderboard.charts.scatters import scatter_figure
from leaderboard.pages.board import Board, load_board
from leaderboard.pages.entries import DEFAULT_SORT
from leaderboard.pages.listing import list_context
from leaderboard.pages.requests import page
from leaderboard.pages.sentences import axes_frontier_sentence
from leaderboard.ranking.filters import BadFilter, Filters, parse_filters
from leaderboard.ranking.frontiers import group_frontier
from leaderboard.ranking.pareto import AXES
from leaderboard.ranking.queries import leaderboard_rows
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.shown import shown_group

ANSWER_TOKENS = 500
MOST_TOKENS = 100_000


def frontier_board(filters: Filters) -> tuple[Board, str, str]:
    board = load_board(filters)
    x, y = board.filters.x or FIRST_TOKEN.column, board.filters.y or OUTPUT_SPEED.column
    sort = board.filters.sort or DEFAULT_SORT
    rows = leaderboard_rows(board.snapshot, board.filters.changed(sort=sort))
    return replace(board, group=shown_group(rows, board.filters)), x, y


def frontier_figure(board: Board, x: str, y: str) -> Figure:
    log_y = (board.filters.yscale or "log") == "log" and y == OUTPUT_SPEED.column
    return scatter_figure(board.rows, x=x, y=y, log_y=log_y, hl=board.filters.hl)


@page
def frontier(request: HttpRequest) -> HttpResponse:
    board, x, y = frontier_board(parse_filters(request.GET))
    found = group_frontier(board.rows, (AXES[y], AXES[x]))
    compared = len(found.ids) + len(found.dominated_by)
    context = list_context(board, "/frontier/")
    file_filters = board.filters.changed(
        workload=(board.group.workload,) if board.rows else (),
        probe_location=(board.group.probe_location,) if board.rows else (),
    )
    query = file_filters.query(leave_out=("page", "view", "yscale", "display", "hl"))
    context |= {
        "axes": SCATTER_AXES.values(),
        "x": x,
        "y": y,
        "x_axis": SCATTER_AXES[x],
        "y_axis": SCATTER_AXES[y],
        "rows": [
            (row, row.offering_id in found.ids, found.dominated_by.get(row.offering_id)) for row in board.rows
        ],
        "sorted_by": board.filters.sort or DEFAULT_SORT,
        "words": axes_frontier_sentence(len(found.ids), compared, SCATTER_AXES[x], SCATTER_AXES[y]),
        "left_out": len(board.rows) - compared,
        "pictures": pictures([frontier_figure(board, x, y)]) if board.rows else {},
        "csv": f"/frontier.csv?{query}",
        "json": f"/frontier.json?{query}",
        "some_simulated": board.group.simulated,
    }
    return render(request, "pages/frontier.html", context)


def compared_board(filters: Filters) -> Board:
    """The offerings asked for, where they stand together."""
    board = load_board(filters)
    chosen = [row for row in board.all_rows if row.offering_id in filters.o]
    return replace(board, group=shown_group(chosen, filters))


def in_columns(board: Board) -> list[LeaderboardRow]:
    """The same for either order of the address."""
    return sorted(board.rows, key=lambda row: row.offering_id)


@page
def compare(request: HttpRequest) -> HttpResponse:
    filters = parse_filters(request.GET)
    tokens = read_tokens(request)
    board = compared_board(filters)
    rows = in_columns(board)
    context = list_context(board, "/compare/") | {
        "rows": rows,
        "tokens": tokens,
        "missing": sorted(set(filters.o) - {row.offering_id for row in rows}),
        "notes": not_comparable(rows),
        "found": found_offerings(board.all_rows, filters),
        "pictures": pictures(compare_figures(rows, tokens=tokens)) if len(rows) > 1 else {},
        "measures": measures(rows),
        "own_fields": [("tokens", str(tokens))] if tokens != ANSWER_TOKENS else [],
    }
    return render(request, "pages/compare.html", context)


def read_tokens(request: HttpRequest) -> int:
    """How long an answer is timed, from the field `tokens`."""
    text = request.GET.get("tokens", "").strip() or str(ANSWER_TOKENS)
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not 1 <= int(text) <= MOST_TOKENS:
        raise BadFilter("tokens", text, f"a whole number from 1 to {MOST_TOKENS}")
    return int(text)


def found_offerings(rows: tuple[LeaderboardRow, ...], filters: Filters) -> list[LeaderboardRow]:
    """What the picker's search finds, each once."""
    if not filters.q:
        return []
    words = filters.q.casefold().split()
    by_id = {row.offering_id: row for row in rows}
    return [
        row
        for row in by_id.values()
        if row.offering_id not in filters.o
        and all(w in f"{row.model_name} {row.provider_name} {row.offering_id}".casefold() for w in words)
    ][:20]


def not_comparable(rows: list[LeaderboardRow]) -> list[str]:
    """Why differences between these rows are not what they seem."""
    notes = []
    for one, other in combinations(rows, 2):
        if one.model_id == other.model_id and one.quantization != other.quantization:
            notes.append(f"not comparable: {one.quantization} and {other.quantization}")
    if len({row.methodology_version for row in rows}) > 1:
        notes.append("measured by different method versions, so differences are withheld")
    return sorted(set(notes))


def measures(rows: list[LeaderboardRow]) -> list[dict[str, object]]:
    """The table turned: one row a measure, one column an offering."""
    blended_unit = Filters(blend=rows[0].blend if rows else "").blended_unit
    columns = (
        ("Output speed", "tokens/s", "output_speed_tps_p50", "tps"),
        ("Speed, p05", "tokens/s", "output_speed_tps_p05", "tps"),
        ("First token", "ms", "ttft_ms_p50", "ms"),
        ("First token, p95", "ms", "ttft_ms_p95", "ms"),
        ("First answer", "ms", "ttfat_ms_p50", "ms"),
        ("End to end", "ms", "end_to_end_ms_p50", "ms"),
        ("500-token answer", "ms", "response_time_500_ms_p50", "ms"),
        ("Success", "%", "success_rate", "rate"),
        ("Input", "USD per 1M", "input_usd_per_mtok", "usd"),
        ("Output", "USD per 1M", "output_usd_per_mtok", "usd"),
        ("Blended", blended_unit, "blended_usd_per_mtok", "usd"),
        ("Good samples", "n", "samples_ok", "count"),
    )
    return [
        {
            "label": label,
            "unit": unit,
            "kind": kind,
            "column": column,
            "values": [getattr(r, column) for r in rows],
        }
        for label, unit, column, kind in columns
    ]
