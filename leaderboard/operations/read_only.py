"""Public addresses only read: another method is refused by name, before anyone asks for a form's token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed

from leaderboard.exports.errors import error_response

READING = ("GET", "HEAD")
WRITTEN_TO = ("/admin/", "/api/v1/")
"""The admin has its own forms, and the API names its methods itself."""


class RefuseWriting:
    """405 with Allow for a public page or file that exists; an address that leads nowhere stays a 404."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        if request.method in READING or request.path.startswith(WRITTEN_TO):
            return None
        if not request.path.endswith(".json"):
            return HttpResponseNotAllowed(READING)
        refusal = error_response(405, "method_not_allowed", "Files and pages are read with GET or HEAD.")
        refusal["Allow"] = ", ".join(READING)
        return refusal
