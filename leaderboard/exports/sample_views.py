"""The samples behind one offering's page: the view's window as a file, all of its history with full=1."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator

from django.http import HttpRequest, HttpResponseBase

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.models import Sample
from leaderboard.ranking.filters import Filters, parse_filters

from . import metadata
from .columns import SAMPLES
from .copying import copied_csv, samples_query
from .responses import File, answer
from .sample_choice import SampleChoice
from .tables import table_bytes
from .views import answering_in_json, offering_or_404, view_file
from .writers import in_blocks, json_row

AFTER = dt.timedelta(microseconds=1)


@answering_in_json
def one_offering(request: HttpRequest, offering_id: str, ending: str) -> HttpResponseBase:
    offering = offering_or_404(offering_id)
    filters = parse_filters(request.GET)
    newest = newest_sample(offering)
    file = view_file(
        f"samples-{offering_id}",
        ending,
        newest.started_at if newest else None,
        filters.without_row_filters() if filters.full else filters,
        table=SAMPLES,
        version=f"full={filters.full} {newest.sample_id if newest else ''}",
    )
    until = filters.as_of or (newest.scheduled_at + AFTER if newest else None)
    return answer(request, file, sample_body(request, file, shown(offering, filters, until)))


def newest_sample(offering: Offering) -> Sample | None:
    """One query on the index; costs nothing with history."""
    return (
        Sample.objects.filter(offering=offering)
        .only("started_at", "sample_id", "scheduled_at")
        .order_by("-scheduled_at")
        .first()
    )


def shown(offering: Offering, filters: Filters, until: dt.datetime | None) -> SampleChoice:
    """The window up to the newest sample or `as_of`, at its location and workload; with full=1 the whole history."""
    if filters.full or until is None:
        return SampleChoice(offering_pk=offering.pk)
    return SampleChoice(
        offering_pk=offering.pk,
        since=until - dt.timedelta(hours=filters.window_hours),
        until=until,
        workloads=filters.workload,
        probe_locations=filters.probe_location,
    )


def sample_body(
    request: HttpRequest, file: File, choice: SampleChoice
) -> Callable[[], bytes | Iterator[bytes]]:
    if file.ending == "csv":
        return lambda: copied_csv(samples_query(choice.condition()))
    if file.ending == "json":
        return lambda: in_blocks(sample_lines(file, choice))
    return lambda: table_bytes(request, SAMPLES, file, list)


def sample_lines(file: File, choice: SampleChoice) -> Iterator[str]:
    """The JSON document of the same rows, a line at a time."""
    head = json.dumps(metadata.about(SAMPLES, file.as_of), ensure_ascii=False)[:-1]
    yield f'{head}, "rows": [\n'
    separator = ""
    for sample in choice.rows():
        yield separator + json_row(SAMPLES.columns, sample)
        separator = ",\n"
    yield "\n]}\n"
