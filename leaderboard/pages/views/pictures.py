"""Charts as files: the view's picture at its path with .svg or .png."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse

from leaderboard.charts.pictures import pictures, with_origin
from leaderboard.charts.standalone import Imprint, standalone
from leaderboard.charts.theme import WIDE
from leaderboard.pages.numbers import instant
from leaderboard.pages.places import find_place
from leaderboard.pages.requests import page
from leaderboard.ranking.filters import parse_filters


@page
def chart(request: HttpRequest, place: str, ending: str) -> HttpResponse:
    return drawn(request, place, ending)


@page
def model_chart(request: HttpRequest, creator: str, model: str, ending: str) -> HttpResponse:
    return drawn(request, f"models/{creator}/{model}", ending)


@page
def provider_chart(request: HttpRequest, provider: str, ending: str) -> HttpResponse:
    return drawn(request, f"providers/{provider}", ending)


@page
def offering_chart(request: HttpRequest, offering_id: str, ending: str) -> HttpResponse:
    return drawn(request, f"offerings/{offering_id}", ending)


def drawn(request: HttpRequest, name: str, ending: str) -> HttpResponse:
    """The wide picture with its imprint; drawn once and kept like the page's own."""
    place = find_place(name, parse_filters(request.GET))
    if place is None:
        raise Http404
    board, origin = place.board, f"{request.scheme}://{request.get_host()}"
    imprint = Imprint(
        title=place.title,
        as_of=instant(board.as_of) if board.as_of else "no snapshot yet",
        method=board.snapshot.methodology_version if board.snapshot else "",
        address=f"{origin}{request.path.rpartition('.')[0]}",
    )
    picture = pictures([place.figure])[place.figure.chart]
    svg = standalone(with_origin(picture.svgs[WIDE], origin), imprint)
    if ending == "svg":
        return HttpResponse(svg, content_type="image/svg+xml; charset=utf-8")
    # Imported here: vl-convert costs memory that a process serving pages alone is spared.
    from leaderboard.charts.rendering import draw_png

    return HttpResponse(draw_png(svg), content_type="image/png")
