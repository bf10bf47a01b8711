"""Reading a page's query: what is wrong with it is said on a page of status 400, never a crash."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.ranking.filters import BadFilter

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def page(view: View[P]) -> View[P]:
    """A view that only reads, and whose bad query becomes a page that names the parameter and what is allowed."""

    def answering(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except BadFilter as bad:
            return render(request, "400.html", {"bad": bad}, status=400)

    reading = require_safe(answering)
    update_wrapper(reading, view)
    return reading
