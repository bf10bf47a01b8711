"""One click ends the demo: its rows leave the board, its samples stay in the record."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from leaderboard.operations.demo import ENDED_BY_OPERATOR, end_demo


@never_cache
@require_POST
def end(request: HttpRequest) -> HttpResponse:
    if not request.user.has_perm("catalogue.change_board"):
        raise PermissionDenied
    count = end_demo(ENDED_BY_OPERATOR)
    messages.success(
        request, f"The demo is over: {count} simulated offerings leave the board with its next snapshot."
    )
    return redirect("admin:index")
