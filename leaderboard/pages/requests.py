"""Reading a page's request: what is wrong with its query is said on a page of status 400, never a crash."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.pages import shelf
from leaderboard.ranking.filters import BadFilter

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def page(view: View[P]) -> View[P]:
    """A view that only reads and shows the same to everyone; a bad query names the parameter and what is allowed."""

    def answering(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        key = shelf.key_of(request)
        if key is not None and (kept := shelf.find(key)) is not None:
            return shelf.serve(request, kept)
        with shelf.made_by_one(key):
            if key is not None and (kept := shelf.find(key)) is not None:
                return shelf.serve(request, kept)
            try:
                response = view(request, *args, **kwargs)
            except BadFilter as bad:
                return render(request, "400.html", {"bad": bad}, status=400)
            made = shelf.keep(key, response) if response.status_code == 200 else None
        return response if made is None else shelf.serve(request, made)

    reading = require_safe(answering)
    update_wrapper(reading, view)
    return reading
