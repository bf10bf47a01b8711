"""Signing in: whose failures are counted together, and what a person reads who failed too often."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse


def paused(
    request: HttpRequest, response: HttpResponse | None, credentials: Mapping[str, object] | None = None
) -> HttpResponse:
    """The page after too many failures: when to come back, and who can help sooner."""
    pause: dt.timedelta = settings.AXES_COOLOFF_TIME
    context = {"failures": settings.AXES_FAILURE_LIMIT, "minutes": pause // dt.timedelta(minutes=1)}
    page = TemplateResponse(request, "admin/sign_in_paused.html", context, status=429)
    page["Retry-After"] = str(pause // dt.timedelta(seconds=1))
    page["Cache-Control"] = "no-store"
    return page.render()
