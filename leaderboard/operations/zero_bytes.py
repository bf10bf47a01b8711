"""No address holds a zero byte: Postgres takes none in a text, so it is refused once, before any view asks for it."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase


def refuse_zero_bytes(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """400 for a path or query with one; forms refuse them field by field."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("A zero byte in the address.")
        return get_response(request)

    return answer
