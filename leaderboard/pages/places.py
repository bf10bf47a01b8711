"""Charts with an address of their own: by the same name as a file, as an embedded page and in an oEmbed answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from urllib.parse import quote

from django.utils import timezone

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.charts.board import (
    catalogue_figure,
    home_figures,
    offering_tradeoff_figure,
    speed_list_figure,
)
from leaderboard.charts.comparisons import compare_figures
from leaderboard.charts.pictures import Figure
from leaderboard.charts.scatters import price_figure
from leaderboard.pages.board import Board, load_board
from leaderboard.pages.entries import model_entries, provider_entries
from leaderboard.pages.histories import daily_of, profile_of
from leaderboard.pages.views.offering import offering_figures
from leaderboard.pages.views.subjects import (
    provider_figures,
    ratios_to_medians,
    subject_board,
)
from leaderboard.pages.views.trade import (
    ANSWER_TOKENS,
    compared_board,
    frontier_board,
    frontier_figure,
    in_columns,
)
from leaderboard.ranking.definitions import definition_of
from leaderboard.ranking.endpoints import own_gpus_of
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.queries import leaderboard_rows
from leaderboard.ranking.shown import shown_group

HOME_CHARTS = ("speed", "ttft", "tradeoff", "catalogue")
LISTS = ("offerings", "models", "providers")
NAMES = re.compile(
    "|".join((*HOME_CHARTS, *LISTS, "frontier", r"models/[^/]+/[^/]+", r"(?:providers|offerings)/[^/]+"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A chart, the board its rows are from, and the path of the page it stands on."""

    name: str
    page: str
    figure: Figure
    board: Board
    subject: str = ""

    @property
    def title(self) -> str:
        group = self.board.group
        about = f"{self.subject}: {self.figure.label}" if self.subject else self.figure.label
        return f"{about}, {group.workload} prompts from {group.probe_location}" if self.board.rows else about


def is_name(name: str) -> bool:
    return NAMES.fullmatch(name) is not None


def find_place(name: str, filters: Filters) -> Place | None:
    """The chart of that name in that view; None where there is no such chart or nothing to draw in it."""
    if name in HOME_CHARTS:
        return home_place(name, filters)
    if name in LISTS:
        return list_place(name, filters)
    if name == "frontier":
        board, x, y = frontier_board(filters)
        return Place(name=name, page="/frontier/", figure=frontier_figure(board, x, y), board=board)
    if name == "compare":
        return compare_place(filters)
    kind, _, subject = name.partition("/")
    find = {"models": model_place, "providers": provider_place, "offerings": offering_place}.get(kind)
    return find(subject, filters) if find else None


def home_place(name: str, filters: Filters) -> Place | None:
    board = load_board(filters)
    figures = home_figures(
        board.models,
        board.providers,
        simulated=board.group.simulated,
        definition=definition_of(filters.display),
    )
    figure = next((f for f in figures if f.chart == name), None)
    return (
        None if figure is None or board.is_empty else Place(name=name, page="/", figure=figure, board=board)
    )


def list_place(name: str, filters: Filters) -> Place:
    board = load_board(filters)
    if name == "offerings":
        rows = leaderboard_rows(board.snapshot, board.filters)
        board = replace(board, group=shown_group(rows, board.filters))
        figure = offering_tradeoff_figure(board.rows, hl=board.filters.hl)
    elif name == "models":
        listed = {entry.id for entry in model_entries(board.models, board.filters)}
        shown = [row for row in board.models if row.model_id in listed]
        figure = speed_list_figure(
            shown, simulated=board.group.simulated, definition=definition_of(filters.display)
        )
    else:
        found = {entry.id for entry in provider_entries(board.providers, board.filters)}
        carried = [row for row in board.providers if row.provider_id in found]
        figure = catalogue_figure(carried, simulated=board.group.simulated)
    return Place(name=name, page=f"/{name}/", figure=figure, board=board)


def compare_place(filters: Filters) -> Place | None:
    """The dot plots; None below two offerings."""
    board = compared_board(filters)
    figures = compare_figures(in_columns(board), tokens=ANSWER_TOKENS) if len(board.rows) > 1 else []
    return Place(name="compare", page="/compare/", figure=figures[0], board=board) if figures else None


def model_place(slug: str, filters: Filters) -> Place | None:
    """The model's first chart: speed against price."""
    board, rows = subject_board(filters, model=(slug,))
    if not rows:
        return None
    own = own_gpus_of(slug, simulated=board.group.simulated)
    name = LanguageModel.objects.values_list("name", flat=True).get(slug=slug)
    return placed(f"models/{slug}", price_figure(board.rows, own), board, subject=name)


def provider_place(slug: str, filters: Filters) -> Place | None:
    """The provider's first chart: its models against everyone who serves the same."""
    board, _ = subject_board(filters, provider=(slug,))
    figures = provider_figures(board, ratios_to_medians(board, board.all_rows))
    if not figures:
        return None
    name = Provider.objects.values_list("name", flat=True).get(slug=slug)
    return placed(f"providers/{slug}", figures[0], board, subject=name)


def offering_place(public_id: str, filters: Filters) -> Place | None:
    """The offering's first chart: its speed by day, or what stands first while there is but one day."""
    found = Offering.objects.select_related("provider", "model").filter(public_id=public_id).first()
    if found is None:
        return None
    board = load_board(filters)
    mine = [row for row in board.all_rows if row.offering_id == public_id]
    board = replace(board, group=shown_group(mine, filters))
    days = daily_of([found], board.group, today=timezone.now().date())
    figures = offering_figures(found, profile_of(found, board.group), days)
    subject = " ".join(filter(None, (found.model.name, found.variant, "at", found.provider.name)))
    return placed(f"offerings/{public_id}", figures[0], board, subject=subject) if figures else None


def placed(name: str, figure: Figure, board: Board, *, subject: str) -> Place:
    return Place(name=name, page=f"/{quote(name, safe='/~')}/", figure=figure, board=board, subject=subject)
