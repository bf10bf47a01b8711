"""The API's manners round every look-up: HEAD as GET without the body, OPTIONS for other origins, JSON for the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, URLResolver
from django.views.decorators.csrf import csrf_exempt

from leaderboard.exports.errors import error_response

ALLOWED = "GET, HEAD, OPTIONS"
View = Callable[..., HttpResponseBase]


def read_only(view: View) -> View:
    @wraps(view)
    def answering(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        match request.method:
            case "GET":
                return open_to_all(view(request, *args, **kwargs))
            case "HEAD":
                request.method = "GET"
                return open_to_all(without_body(view(request, *args, **kwargs)))
            case "OPTIONS":
                return allowed(HttpResponse(status=204))
        refused = error_response(
            405, "method_not_allowed", "The API is read-only: GET, HEAD and OPTIONS alone."
        )
        return allowed(refused)

    # Nothing is ever changed, so there is nothing to forge: a POST is told so in JSON, not by the guard of forms.
    return csrf_exempt(answering)


def open_to_all(response: HttpResponseBase) -> HttpResponseBase:
    response["Access-Control-Allow-Origin"] = "*"
    return response


def without_body(response: HttpResponseBase) -> HttpResponseBase:
    """The headers that GET would have sent, the length included."""
    if isinstance(response, HttpResponse):
        length = len(response.content)
        response.content = b""
        response["Content-Length"] = str(length)
    return response


def allowed(response: HttpResponse) -> HttpResponse:
    response["Allow"] = ALLOWED
    open_to_all(response)
    response["Access-Control-Allow-Methods"] = ALLOWED
    return response


def made_read_only(patterns: Iterable[URLPattern | URLResolver]) -> list[URLPattern | URLResolver]:
    """The framework's own addresses, its description among them."""
    found = list(patterns)
    for pattern in found:
        if isinstance(pattern, URLPattern):
            pattern.callback = read_only(pattern.callback)
    return found
