"""The files of /choose/: the page's rows in the page's order, for the same question."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase

from leaderboard.ranking.choosing import Need, choices_of, fields_of, read_need
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows

from .columns.choices import CHOICES, Placed
from .tables import table_answer
from .views import answering_in_json, read_filters, view_file


@answering_in_json
def choose(request: HttpRequest, ending: str) -> HttpResponseBase:
    filters, need = read_filters(request), read_need(request.GET)
    snapshot = latest_snapshot(window_hours=filters.window_hours, as_of=filters.as_of)
    as_of = snapshot.as_of if snapshot else None
    asked = " ".join(f"{name}={value}" for name, value in fields_of(need))
    file = view_file("choose", ending, as_of, filters, version=asked)
    return table_answer(request, CHOICES, file, lambda: placed(snapshot, filters, need))


def placed(snapshot: Snapshot | None, filters: Filters, need: Need) -> list[Placed]:
    found = choices_of(leaderboard_rows(snapshot, Filters(blend=filters.blend)), filters, need)
    fitting = [Placed(place, choice) for place, choice in enumerate(found.fitting, 1)]
    return fitting + [Placed(None, choice) for choice in found.unpriced]
