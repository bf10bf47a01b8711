"""The files of the self-hosted pages: the same rows as the page, at the visitor's rate and use."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponseBase

from leaderboard.ranking.calculator import Calculation, parse_calculation
from leaderboard.ranking.endpoint_view import costed, endpoint_view, endpoints_version, one_endpoint_view
from leaderboard.ranking.endpoints import gpu_endpoint_rows
from leaderboard.ranking.filters import BadFilter

from .catalogue_rows import catalogue_version
from .columns import GPU_ENDPOINTS, GPU_SAMPLES
from .gpu_rows import requests_of
from .responses import File
from .tables import table_answer
from .views import answering_in_json


@answering_in_json
def self_hosted(request: HttpRequest, ending: str) -> HttpResponseBase:
    calculation = parse_calculation(request.GET)
    view = endpoint_view(calculation, now=dt.datetime.now(dt.UTC))
    file = gpu_file("self-hosted", ending, calculation)
    return table_answer(request, GPU_ENDPOINTS, file, lambda: view.rows)


@answering_in_json
def one_endpoint(request: HttpRequest, endpoint: str, ending: str) -> HttpResponseBase:
    """The newest sweep of one endpoint, as its page shows it; every sweep that was kept with `full=1`."""
    calculation = parse_calculation(request.GET)
    view = one_endpoint_view(calculation, endpoint, now=dt.datetime.now(dt.UTC))
    rows = view.rows
    if calculation.full:
        rows = tuple(costed(row, calculation) for row in gpu_endpoint_rows(endpoint_id=endpoint))
    if not rows:
        raise Http404
    return table_answer(request, GPU_ENDPOINTS, gpu_file(endpoint, ending, calculation), lambda: rows)


@answering_in_json
def one_endpoints_requests(request: HttpRequest, endpoint: str, ending: str) -> HttpResponseBase:
    """The single requests of one sweep: the newest, or the one begun at `measured_at`."""
    measured_at = instant_asked(request.GET.get("measured_at", ""))
    rows = list(requests_of(endpoint, measured_at))
    if not rows:
        raise Http404
    file = replace(gpu_file(f"{endpoint}-samples", ending, Calculation()), query=request.GET.urlencode())
    return table_answer(request, GPU_SAMPLES, file, lambda: rows)


def instant_asked(text: str) -> dt.datetime | None:
    """Raises BadFilter for what is no instant."""
    if not text:
        return None
    try:
        found = dt.datetime.fromisoformat(text)
    except ValueError:
        raise BadFilter("measured_at", text, "a time as in 2026-07-15T03:00:00Z") from None
    return found if found.tzinfo else found.replace(tzinfo=dt.UTC)


def gpu_file(name: str, ending: str, calculation: Calculation) -> File:
    catalogue, _ = catalogue_version()
    version, changed_at = endpoints_version()
    words = (calculation.model,) if calculation.model else ()
    return File(
        name=name,
        ending=ending,
        as_of=changed_at,
        version=f"{catalogue} {version}",
        query=calculation.query(),
        filter_words=words,
    )
