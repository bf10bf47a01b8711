"""The files of the self-hosted pages: the same rows as the page, at the visitor's rate and use."""

from __future__ import annotations

import datetime as dt

from django.http import Http404, HttpRequest, HttpResponseBase

from leaderboard.ranking.calculator import Calculation, parse_calculation
from leaderboard.ranking.endpoint_view import costed, endpoint_view, endpoints_version, one_endpoint_view
from leaderboard.ranking.endpoints import gpu_endpoint_rows

from .catalogue_rows import catalogue_version
from .columns import GPU_ENDPOINTS
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
