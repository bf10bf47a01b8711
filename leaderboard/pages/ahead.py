"""The pictures of every page of the site map, drawn before a reader comes and not in the request.

Drawing all pages of 875 offerings takes minutes, a snapshot comes every minute, and between two snapshots few pages
change. So the first turn after a snapshot finds the pages whose figures may have changed, the lists first; each turn
stops when its seconds are over, and the next goes on. A page that was not reached yet draws its pictures when it is
asked for.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from operator import attrgetter

from django.db.models import Max
from django.http import QueryDict

from leaderboard.catalogue.models import Deployment, Offering
from leaderboard.charts.board import home_figures
from leaderboard.charts.pictures import Figure, forget_old, prepare
from leaderboard.pages.board import Board, load_board
from leaderboard.pages.histories import daily_of, profile_of
from leaderboard.pages.places import LISTS, list_place
from leaderboard.pages.views.news import work_figures
from leaderboard.pages.views.offering import offering_figures
from leaderboard.pages.views.self_hosted import figures_of
from leaderboard.pages.views.subjects import (
    model_figures,
    provider_figures,
    ratios_to_medians,
    strip_figures,
    subject_board,
)
from leaderboard.pages.views.trade import frontier_board, frontier_figure
from leaderboard.ranking.calculator import parse_calculation
from leaderboard.ranking.endpoint_view import endpoint_view, one_endpoint_view
from leaderboard.ranking.endpoints import own_gpus_of
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.models import SeriesProfile
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.shown import shown_group

logger = logging.getLogger(__name__)
SHARE_OF_FIRST_PAGES = 0.6
"""Of a turn's seconds, so that pages of pairs get theirs where models change with each snapshot."""
KEPT_UNSHOWN_FOR = dt.timedelta(hours=2)
KEPT_UNSEEN_FOR = dt.timedelta(hours=24)
"""Before this process has looked at every page, it does not know which pictures are still shown."""

Rows = Sequence[LeaderboardRow]
Version = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`state` differs whenever what the page's figures show may have changed."""

    path: str
    state: Version
    figures: Callable[[], Iterable[Figure]]


@dataclass(slots=True)
class Memory:
    """What this process has drawn: by path, the state it was drawn in, and the keys of its pictures."""

    states: dict[str, Version] = field(default_factory=dict)
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    version: Version = ()
    """Of the board that the waiting pages belong to."""
    first: deque[Page] = field(default_factory=deque)
    pairs: deque[Page] = field(default_factory=deque)
    has_seen_all: bool = False


memory = Memory()


def draw_ahead(now: dt.datetime, *, seconds: float, done: Memory = memory) -> bool:
    """One turn; whether every page of the newest snapshot is drawn. Two queries where there is nothing to do."""
    board = load_board(Filters())
    version = version_of(board, now)
    if version != done.version:
        done.first, done.pairs = (
            deque(page for page in pages if done.states.get(page.path) != page.state)
            for pages in (first_pages(board, version, now), pair_pages(board, version, now))
        )
        done.version = version
    elif not done.first and not done.pairs:
        return True
    began = time.monotonic()
    draw_waiting(done.first, done, until_s=began + SHARE_OF_FIRST_PAGES * seconds)
    draw_waiting(done.pairs, done, until_s=began + seconds)
    is_complete = not done.first and not done.pairs
    done.has_seen_all |= is_complete
    keys = {key for keys in done.keys.values() for key in keys}
    forget_old(now, KEPT_UNSHOWN_FOR if done.has_seen_all else KEPT_UNSEEN_FOR, still_shown=keys)
    return is_complete


def version_of(board: Board, now: dt.datetime) -> Version:
    """Of everything that figures are made from: the snapshot, the history made from samples, and the day."""
    history = SeriesProfile.objects.aggregate(at=Max("as_of"))["at"]
    return board.snapshot.pk if board.snapshot else None, history, now.date()


def draw_waiting(pages: deque[Page], done: Memory, *, until_s: float) -> None:
    """A page that cannot be drawn holds up no other, and is tried again when it changes."""
    while pages and time.monotonic() < until_s:
        page = pages.popleft()
        done.states[page.path] = page.state
        try:
            figures = list(page.figures())
            prepare(figures)
            done.keys[page.path] = tuple(figure.key for figure in figures)
        except Exception:
            logger.exception("The pictures of %s could not be drawn.", page.path)


def first_pages(board: Board, version: Version, now: dt.datetime) -> Iterator[Page]:
    """The lists, then models and providers with most rows first."""
    yield Page(path="/", state=version, figures=lambda: board_figures(board))
    yield Page(path="/status/", state=version, figures=partial(work_figures, board.snapshot, now))
    yield from gpu_pages(version, now)
    for slug, rows in most_first(board.all_rows, "model_id"):
        yield Page(path=f"/models/{slug}/", state=state_of(rows, version), figures=partial(model_page, slug))
    for slug, _ in most_first(board.all_rows, "provider_id"):
        # The ratios on it are to medians over others' rows too.
        yield Page(path=f"/providers/{slug}/", state=version, figures=partial(provider_page, slug))


def pair_pages(board: Board, version: Version, now: dt.datetime) -> Iterator[Page]:
    for public_id, rows in most_first(board.all_rows, "offering_id"):
        draw = partial(offering_page, public_id, now.date())
        yield Page(path=f"/offerings/{public_id}/", state=state_of(rows, version), figures=draw)


def most_first(rows: Rows, column: str) -> list[tuple[str, Rows]]:
    """The rows of each subject, by the number of its offerings, ties by id; a row without a name is nobody's."""
    found: defaultdict[str, list[LeaderboardRow]] = defaultdict(list)
    for row in rows:
        found[getattr(row, column)].append(row)
    return sorted(((name, of_it) for name, of_it in found.items() if name), key=lambda p: (-len(p[1]), p[0]))


FIGURES_OF_ROW = attrgetter(*(f.name for f in fields(LeaderboardRow) if f.name != "as_of"))


def state_of(rows: Rows, version: Version) -> Version:
    """The rows' own figures, the history and the day; not the snapshot, which most rows outlive unchanged."""
    return (hash(repr([FIGURES_OF_ROW(row) for row in rows])), *version[1:])


def of(
    figures: Callable[[str, dt.datetime], list[Figure]], name: str, now: dt.datetime
) -> Callable[[], list[Figure]]:
    return lambda: figures(name, now)


def board_figures(board: Board) -> list[Figure]:
    """Of the home page, the lists and the frontier."""
    if board.is_empty:
        return []
    lists = [list_place(name, Filters()).figure for name in LISTS]
    home = home_figures(board.models, board.providers, simulated=board.group.simulated)
    return [*home, *lists, frontier_figure(*frontier_board(Filters()))]


def model_page(slug: str) -> list[Figure]:
    board, _ = subject_board(Filters(), model=(slug,))
    offerings = list(Offering.objects.filter(model__slug=slug).select_related("provider"))
    return model_figures(board, offerings, own_gpus_of(slug, simulated=board.group.simulated))


def provider_page(slug: str) -> list[Figure]:
    board, _ = subject_board(Filters(), provider=(slug,))
    offerings = list(Offering.objects.filter(provider__slug=slug).select_related("model", "provider"))
    ratios = ratios_to_medians(board, board.all_rows)
    return [*provider_figures(board, ratios), *(figure for _, figure in strip_figures(board, offerings))]


def offering_page(public_id: str, today: dt.date) -> list[Figure]:
    board = load_board(Filters())
    found = Offering.objects.select_related("provider", "model").get(public_id=public_id)
    mine = [row for row in board.all_rows if row.offering_id == public_id]
    group = shown_group(mine, Filters())
    return offering_figures(found, profile_of(found, group), daily_of([found], group, today=today))


def gpu_pages(version: Version, now: dt.datetime) -> Iterator[Page]:
    def everything() -> list[Figure]:
        return figures_of(endpoint_view(parse_calculation(QueryDict()), now=now))

    def one(endpoint: str) -> list[Figure]:
        return figures_of(one_endpoint_view(parse_calculation(QueryDict()), endpoint, now=now))

    public = Deployment.objects.filter(is_public=True).order_by("endpoint_id")
    names = list(public.values_list("endpoint_id", flat=True))
    if names:
        yield Page(path="/self-hosted/", state=version, figures=everything)
    for name in names:
        yield Page(path=f"/self-hosted/{name}/", state=version, figures=partial(one, name))
