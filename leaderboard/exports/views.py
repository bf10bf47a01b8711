"""The files of the pages: each view's whole filtered table, at the page's path with an ending."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, cast

from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.ranking.filters import BadFilter, Filters, parse_filters
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.shown import shown_group

from . import catalogue_rows
from .columns import LEADERBOARD, MODELS, PROVIDERS, Table
from .errors import Refusal, error_response
from .listing import filtered_models, filtered_providers
from .responses import REFERENCE_S, File
from .tables import table_answer

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
Narrow = Callable[[Sequence[LeaderboardRow]], Sequence[LeaderboardRow]]
PAGE_SORT = "-output_speed_tps_p50"
NOT_IN_A_FILE = ("page", "hl", "yscale", "display", "view", "full")


def answering_in_json(view: View[P]) -> View[P]:
    """Refusals as the one JSON shape; only what can be understood is answered."""

    def answering(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except BadFilter as bad:
            return error_response(
                400, "bad_parameter", str(bad), parameter=bad.parameter, allowed=bad.allowed
            )
        except Refusal as refusal:
            return error_response(refusal.status, refusal.code, str(refusal), **refusal.more)
        except Http404:
            return error_response(404, "not_found", f"There is no {request.path} here.")

    return cast("View[P]", update_wrapper(require_safe(answering), view))


def read_filters(request: HttpRequest) -> Filters:
    filters = parse_filters(request.GET)
    return filters.without_row_filters() if filters.full else filters


def view_file(name: str, ending: str, as_of: dt.datetime | None, filters: Filters, **more: Any) -> File:
    return File(
        name=name,
        ending=ending,
        as_of=as_of,
        query=filters.query(leave_out=NOT_IN_A_FILE),
        filter_words=tuple(chip.value for chip in filters.chips()),
        **more,
    )


def leaderboard_answer(
    request: HttpRequest,
    ending: str,
    filters: Filters,
    *,
    name: str = "leaderboard",
    narrow: Narrow = list,
) -> HttpResponseBase:
    snapshot = latest_snapshot(window_hours=filters.window_hours, as_of=filters.as_of)
    as_of = snapshot.as_of if snapshot else None
    version, _ = catalogue_rows.catalogue_version()
    # The order a page has by itself says nothing in an address.
    asked = filters.changed(sort="") if name != "leaderboard" and filters.sort == PAGE_SORT else filters
    file = view_file(name, ending, as_of, asked, version=version)
    return table_answer(request, LEADERBOARD, file, lambda: narrow(leaderboard_rows(snapshot, filters)))


def in_page_order(filters: Filters) -> Filters:
    """A page lists its best first; its file does the same."""
    return filters if filters.sort else filters.changed(sort=PAGE_SORT)


@answering_in_json
def leaderboard(request: HttpRequest, ending: str) -> HttpResponseBase:
    return leaderboard_answer(request, ending, read_filters(request))


@answering_in_json
def offerings(request: HttpRequest, ending: str) -> HttpResponseBase:
    return leaderboard_answer(request, ending, in_page_order(read_filters(request)), name="offerings")


@answering_in_json
def frontier(request: HttpRequest, ending: str) -> HttpResponseBase:
    """The rows that stand together on the page: one location, one workload; with full=1 all of them."""
    filters = in_page_order(read_filters(request))

    def together(rows: Sequence[LeaderboardRow]) -> Sequence[LeaderboardRow]:
        return rows if filters.full else shown_group(rows, filters).rows

    return leaderboard_answer(request, ending, filters, name="frontier", narrow=together)


@answering_in_json
def compare(request: HttpRequest, ending: str) -> HttpResponseBase:
    """The offerings asked for, where they stand together: one location, one workload."""
    filters = read_filters(request)

    def chosen(rows: Sequence[LeaderboardRow]) -> Sequence[LeaderboardRow]:
        wanted = [row for row in rows if row.offering_id in filters.o]
        return wanted if filters.full else shown_group(wanted, filters).rows

    return leaderboard_answer(request, ending, filters, name="compare", narrow=chosen)


@answering_in_json
def one_model(request: HttpRequest, creator: str, model: str, ending: str) -> HttpResponseBase:
    slug = f"{creator}/{model}"
    if not LanguageModel.objects.filter(slug=slug).exists():
        raise Http404
    filters = in_page_order(read_filters(request)).changed(model=(slug,))
    return leaderboard_answer(request, ending, filters, name="model")


@answering_in_json
def one_provider(request: HttpRequest, provider: str, ending: str) -> HttpResponseBase:
    if not Provider.objects.filter(slug=provider).exists():
        raise Http404
    filters = in_page_order(read_filters(request)).changed(provider=(provider,))
    return leaderboard_answer(request, ending, filters, name="provider")


@answering_in_json
def models(request: HttpRequest, ending: str) -> HttpResponseBase:
    filters = read_filters(request)
    return catalogue_answer(request, MODELS, ending, filters, lambda: filtered_models(filters))


@answering_in_json
def providers(request: HttpRequest, ending: str) -> HttpResponseBase:
    filters = read_filters(request)
    return catalogue_answer(request, PROVIDERS, ending, filters, lambda: filtered_providers(filters))


def catalogue_answer(
    request: HttpRequest, table: Table, ending: str, filters: Filters, rows: Callable[[], Iterable[Any]]
) -> HttpResponseBase:
    """A list of the catalogue; its instant is the catalogue's last change."""
    version, changed_at = catalogue_rows.catalogue_version()
    snapshot = latest_snapshot(window_hours=filters.window_hours, as_of=filters.as_of)
    version += f" {snapshot.as_of.isoformat()}" if snapshot else ""
    file = view_file(table.name, ending, changed_at, filters, version=version, max_age_s=REFERENCE_S)
    return table_answer(request, table, file, rows)


def offering_or_404(offering_id: str) -> Offering:
    offering = Offering.objects.filter(public_id=offering_id).select_related("provider").first()
    if offering is None:
        raise Http404
    return offering
