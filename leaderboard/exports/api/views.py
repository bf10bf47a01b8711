"""The look-ups. Each answers rows of one published table, with the digits of its file."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI, Query
from ninja.errors import Throttled, ValidationError

from leaderboard.catalogue.models import Offering
from leaderboard.exports import dataset, deprecation
from leaderboard.exports.catalogue_rows import (
    catalogue_version,
    model_rows,
    offering_rows,
    price_rows,
    provider_rows,
)
from leaderboard.exports.columns import (
    DAILY,
    LEADERBOARD,
    MODELS,
    OFFERINGS,
    PRICES,
    PROVIDERS,
    SAMPLES,
    Table,
)
from leaderboard.exports.daily_rows import daily_rows
from leaderboard.exports.errors import DOCS, Refusal, error_response
from leaderboard.exports.metadata import about
from leaderboard.exports.responses import refuse_withheld
from leaderboard.exports.writers import json_text
from leaderboard.measurements.models import Sample
from leaderboard.ranking.filters import BadFilter, parse_filters
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows

from .limits import PER_MINUTE, ByAddress, RateLimit, share_of_one_process
from .paging import Slice, decode, first_of, key_of, sliced
from .read_only import read_only
from .schemas import (
    ErrorAnswer,
    LeaderboardQuery,
    ModelsQuery,
    OfferingQuery,
    OfferingsQuery,
    Paged,
    page_schema,
)

LIMIT = RateLimit(share_of_one_process(settings.WEB_PROCESSES))
api = NinjaAPI(
    title="Provider leaderboard",
    version=dataset.SCHEMA_VERSION,
    description=(
        "Look-ups in the published tables. Sixty requests a minute for each address; for bulk take the files under "
        "/data/v1/, which have no limit. Fields are only ever added, never renamed or given a new meaning."
    ),
    docs_url=None,
    urls_namespace="api-1",
    throttle=ByAddress(LIMIT),
)


def rows_response(
    request: HttpRequest, table: Table, found: Slice, as_of: dt.datetime | None
) -> HttpResponse:
    refuse_withheld(table)
    head = about(table, as_of) | {"next": found.next}
    response = HttpResponse(
        json_text(table.columns, found.rows, about=head), content_type="application/json; charset=utf-8"
    )
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = "public, max-age=60"
    deprecation.tell(response, request.path, table, absolute=request.build_absolute_uri)
    return response


def answers(table: Table) -> dict[Any, Any]:
    refused = dict.fromkeys((400, 403, 404, 429), ErrorAnswer)
    return {200: page_schema(table), **refused}


@api.get("/leaderboard", response=answers(LEADERBOARD), summary="Current medians, ranks and frontiers")
def leaderboard(request: HttpRequest, query: Query[LeaderboardQuery]) -> HttpResponse:
    filters = parse_filters(request.GET)
    snapshot = latest_snapshot(window_hours=filters.window_hours, as_of=filters.as_of)
    rows = leaderboard_rows(snapshot, filters)
    found = sliced(rows, LEADERBOARD, limit=query.limit, cursor=query.cursor)
    return rows_response(request, LEADERBOARD, found, snapshot.as_of if snapshot else None)


@api.get("/providers", response=answers(PROVIDERS), summary="Who serves models")
def providers(request: HttpRequest, query: Query[Paged]) -> HttpResponse:
    return catalogue_rows(request, PROVIDERS, provider_rows(), query)


@api.get("/models", response=answers(MODELS), summary="What is served")
def models(request: HttpRequest, query: Query[ModelsQuery]) -> HttpResponse:
    rows = model_rows()
    if query.creator:
        rows = rows.filter(creator__in=query.creator)
    if query.weights:
        rows = rows.filter(weights__in=query.weights)
    return catalogue_rows(request, MODELS, rows, query)


@api.get("/offerings", response=answers(OFFERINGS), summary="Who serves what, and how")
def offerings(request: HttpRequest, query: Query[OfferingsQuery]) -> HttpResponse:
    rows = offering_rows()
    if query.model:
        rows = rows.filter(model__slug__in=query.model)
    if query.provider:
        rows = rows.filter(provider__slug__in=query.provider)
    return catalogue_rows(request, OFFERINGS, rows, query)


@api.get("/prices", response=answers(PRICES), summary="An offering's price history")
def prices(request: HttpRequest, query: Query[OfferingQuery]) -> HttpResponse:
    offering = offering_of(query)
    return catalogue_rows(request, PRICES, price_rows().filter(offering=offering), query)


@api.get("/daily", response=answers(DAILY), summary="An offering's daily aggregates")
def daily(request: HttpRequest, query: Query[OfferingQuery]) -> HttpResponse:
    rows = daily_rows().filter(offering=offering_of(query))
    found = sliced(rows, DAILY, limit=query.limit, cursor=query.cursor)
    snapshot = latest_snapshot()
    return rows_response(request, DAILY, found, snapshot.as_of if snapshot else None)


@api.get("/samples", response=answers(SAMPLES), summary="An offering's raw samples, oldest first")
def samples(request: HttpRequest, query: Query[OfferingQuery]) -> HttpResponse:
    """Ids rise with time, so the id is the cursor; only the page's own rows are read."""
    rows = Sample.objects.filter(offering=offering_of(query)).select_related("offering").order_by("sample_id")
    if query.cursor:
        rows = rows.filter(sample_id__gt=sample_cursor(query.cursor))
    found = first_of(rows[: query.limit + 1], key_of(SAMPLES), query.limit)
    return rows_response(request, SAMPLES, found, found.rows[-1].started_at if found.rows else None)


def sample_cursor(cursor: str) -> str:
    (text,) = decode(cursor, 1)
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise Refusal(
            400, "bad_cursor", "cursor is not one that this API gave out.", parameter="cursor"
        ) from None


def offering_of(query: OfferingQuery) -> Offering:
    offering = Offering.objects.filter(public_id=query.offering_id).first()
    if offering is None:
        raise Refusal(404, "not_found", f"There is no offering {query.offering_id}.", parameter="offering_id")
    return offering


def catalogue_rows(request: HttpRequest, table: Table, rows: Iterable[Any], query: Paged) -> HttpResponse:
    _, changed_at = catalogue_version()
    return rows_response(
        request, table, sliced(rows, table, limit=query.limit, cursor=query.cursor), changed_at
    )


@api.exception_handler(Refusal)
def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    return error_response(refusal.status, refusal.code, str(refusal), **refusal.more)


@api.exception_handler(BadFilter)
def bad_filter(request: HttpRequest, bad: BadFilter) -> HttpResponse:
    return error_response(400, "bad_parameter", str(bad), parameter=bad.parameter, allowed=bad.allowed)


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, problem: ValidationError) -> HttpResponse:
    first = problem.errors[0]
    parameter = next((str(part) for part in reversed(first["loc"]) if not isinstance(part, int)), "query")
    return error_response(400, "bad_parameter", f"{parameter}: {first['msg']}.", parameter=parameter)


@api.exception_handler(Http404)
def missing(request: HttpRequest, problem: Http404) -> HttpResponse:
    return error_response(404, "not_found", f"There is no {request.path} here.")


@api.exception_handler(Throttled)
def too_many(request: HttpRequest, problem: Throttled) -> HttpResponse:
    response = error_response(
        429,
        "too_many_requests",
        f"At most {PER_MINUTE} requests a minute. Try again in {problem.wait} s, or take the files "
        "under /data/v1/, which have no limit.",
    )
    response["Retry-After"] = str(problem.wait)
    return response


@read_only
def index(request: HttpRequest) -> HttpResponse:
    """/api/v1/ itself: what can be looked up, and where the rest is said."""
    described = api.get_openapi_schema(path_prefix="/api/v1/")["paths"]
    look_ups = [
        {"path": path, "summary": operations["get"]["summary"]} for path, operations in described.items()
    ]
    response = JsonResponse(
        {
            "title": api.title,
            "version": api.version,
            "look_ups": look_ups,
            "openapi": "/api/v1/openapi.json",
            "docs": DOCS,
            "requests_per_minute": PER_MINUTE,
            "bulk": dataset.ROOT,
            "license": dataset.LICENCE,
        }
    )
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = "public, max-age=300"
    return response
