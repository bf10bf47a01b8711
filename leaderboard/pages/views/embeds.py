"""Charts on other people's pages: the embedded page, how to embed it, and oEmbed. Only the first may be framed."""

from __future__ import annotations

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from leaderboard.charts.pictures import pictures
from leaderboard.pages.context import origin_of
from leaderboard.pages.numbers import instant
from leaderboard.pages.places import Place, find_place
from leaderboard.pages.requests import page
from leaderboard.pages.sharing import asked_view, card_path, embed_path, frame_of, frozen_instant
from leaderboard.ranking.filters import Filters, parse_filters
from leaderboard.ranking.queries import latest_snapshot

in_any_frame = csp_replace({"frame-ancestors": ["*"]})
CARD_WIDTH, CARD_HEIGHT = 1200, 630
CACHE_S = 300


@xframe_options_exempt
def embed(request: HttpRequest, place: str) -> HttpResponseBase:
    """One chart alone, with its source and as-of; `as_of` freezes it."""

    def framed(request: HttpRequest) -> HttpResponseBase:
        return embedded_page(request, place)

    return in_any_frame(framed)(request)


@page
def embedded_page(request: HttpRequest, place: str) -> HttpResponse:
    filters = parse_filters(request.GET)
    found = find_place(place, filters)
    if found is None:
        raise Http404
    context = {
        "place": found,
        "board": found.board,
        "picture": pictures([found.figure])[found.figure.chart],
        "page_address": page_of(found, filters),
        "frozen": filters.as_of is not None,
    }
    return render(request, "sharing/embed.html", context)


def page_of(place: Place, filters: Filters) -> str:
    query = filters.query(leave_out=("page", "view"))
    return f"{place.page}?{query}" if query else place.page


@page
def how_to(request: HttpRequest) -> HttpResponse:
    """The codes of one chart: the one that follows the board, and the one that stays as it is."""
    filters = parse_filters(request.GET)
    place = find_place(request.GET.get("of", "tradeoff"), filters)
    if place is None:
        raise Http404
    origin = origin_of(request)
    frozen_at = (
        frozen_instant(place.board.as_of) if place.board.as_of and not filters.as_of else filters.as_of
    )
    frozen = filters.changed(as_of=frozen_at)
    has_frozen = latest_snapshot(filters.window_hours, frozen_at) is not None
    context = {
        "place": place,
        "live": frame_of(place, filters, origin=origin),
        "live_path": embed_path(place.name, filters),
        "frozen": frame_of(place, frozen, origin=origin) if has_frozen else None,
        "frozen_at": frozen_at,
        "page_address": origin + page_of(place, filters),
    }
    return render(request, "sharing/how_to.html", context)


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """The oEmbed provider endpoint: type rich, JSON only."""
    if request.GET.get("format", "json") != "json":
        return told(501, "Only format=json is answered.")
    if not request.GET.get("url"):
        return told(400, "url is missing: the address of a page of this site.")
    try:
        max_width, max_height = (largest(request, name) for name in ("maxwidth", "maxheight"))
    except ValueError as problem:
        return told(400, str(problem))
    origin = origin_of(request)
    view = asked_view(request.GET["url"], hosts={request.get_host(), origin.partition("://")[2]})
    place = find_place(*view) if view else None
    if view is None or place is None:
        return told(404, "url is no page of this site with a chart to embed.")
    frame = frame_of(place, view[1], origin=origin, max_width=max_width, max_height=max_height)
    board = place.board
    document: dict[str, object] = {
        "version": "1.0",
        "type": "rich",
        "title": f"{frame.title}, as of {instant(board.as_of)}" if board.as_of else frame.title,
        "provider_name": "Provider Leaderboard",
        "provider_url": f"{origin}/",
        "cache_age": CACHE_S,
        "html": frame.html,
        "width": frame.width,
        "height": frame.height,
    }
    if (max_width or CARD_WIDTH) >= CARD_WIDTH and (max_height or CARD_HEIGHT) >= CARD_HEIGHT:
        document |= {
            "thumbnail_url": origin + card_path(place.page),
            "thumbnail_width": CARD_WIDTH,
            "thumbnail_height": CARD_HEIGHT,
        }
    return open_to_all(JsonResponse(document))


def largest(request: HttpRequest, name: str) -> int | None:
    """None where nothing was asked; raises ValueError with a sentence."""
    text = request.GET.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 7 and int(text) > 0):
        raise ValueError(f"{name} is not a number of pixels.")
    return int(text)


def told(status: int, message: str) -> HttpResponse:
    return open_to_all(JsonResponse({"error": {"message": message}}, status=status))


def open_to_all(response: HttpResponse) -> HttpResponse:
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = f"public, max-age={CACHE_S}"
    return response
