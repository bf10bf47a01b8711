"""One click begins to measure what the admin's home offers; the forecast stands beside the button."""

from __future__ import annotations

import datetime as dt

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from leaderboard.catalogue.admin.recording import acting_user
from leaderboard.operations.environment import EnvironmentProblem
from leaderboard.operations.measure import begin_measuring


@never_cache
@require_POST
def measure(request: HttpRequest) -> HttpResponse:
    user = acting_user(request)
    if user is None or not user.has_perms(["catalogue.publish_offering", "catalogue.probe_offering"]):
        raise PermissionDenied
    try:
        begin_measuring(
            [request.POST.get("slug", "")],
            now=dt.datetime.now(dt.UTC),
            say=lambda line: messages.success(request, f"{line[:1].upper()}{line[1:]}."),
            user=user,
        )
    except EnvironmentProblem as problem:
        messages.error(request, str(problem).removeprefix("--measure "))
    return redirect("admin:index")
