"""The spec behind a picture, for the reader who asks for the interactive chart."""

from __future__ import annotations

from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from leaderboard.charts.models import Rendering
from leaderboard.charts.theme import WIDE

A_DAY_S = 86_400


@require_safe
def spec(request: HttpRequest, key: str) -> JsonResponse:
    """A key is a hash of what it shows, so its answer never changes; one query."""
    found = Rendering.objects.filter(key=key, width=WIDE).values_list("spec", flat=True).first()
    if found is None:
        raise Http404
    response = JsonResponse(found)
    response["Cache-Control"] = f"public, max-age={A_DAY_S}, immutable"
    return response
