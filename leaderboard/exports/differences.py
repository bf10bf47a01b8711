"""/data/v1/leaderboard-diff: the rows of the leaderboard that differ between two instants."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseBase

from leaderboard.ranking.filters import instant
from leaderboard.ranking.queries import latest_snapshot

from .cells import cell_text, instant_text
from .columns.differences import BY_NAME, COMPARED, DIFFERENCES, Difference
from .live_tables import leaderboard_table
from .responses import File
from .tables import table_answer
from .views import answering_in_json

A_DAY = dt.timedelta(days=1)


@answering_in_json
def leaderboard_difference(request: HttpRequest, ending: str) -> HttpResponseBase:
    """`from` and `to` are instants; each means the newest snapshot kept by then. Left out: a day before, and now."""
    end, after = leaderboard_table(asked(request, "to"))
    start, before = leaderboard_table(asked(request, "from") or (end - A_DAY if end else None))
    newest = latest_snapshot()
    given = {name: request.GET[name] for name in ("from", "to") if request.GET.get(name)}
    file = File(
        name="leaderboard-diff",
        ending=ending,
        as_of=end,
        version=f"{text(start)} {text(end)} {newest.pk if newest and end else ''}",
        query=urlencode(given),
        filter_words=("since", text(start)) if start else (),
    )
    return table_answer(request, DIFFERENCES, file, lambda: differences(before, after))


def asked(request: HttpRequest, name: str) -> dt.datetime | None:
    value = request.GET.get(name)
    return instant(name, [value]) if value else None


def text(moment: dt.datetime | None) -> str:
    return instant_text(moment, always_milliseconds=False) if moment else ""


def differences(before: Iterable[Any], after: Iterable[Any]) -> list[Difference]:
    """By key; two rows are the same where every compared figure has the same published text."""
    old, new = ({key(row): row for row in rows} for rows in (before, after))
    found = [Difference(old.get(k), new.get(k)) for k in sorted({*old, *new})]
    return [d for d in found if d.kind != "changed" or published(d.before) != published(d.after)]


def key(row: Any) -> tuple[str, str, str]:
    return row.offering_id, row.probe_location, row.workload


def published(row: Any) -> Sequence[str]:
    return [cell_text(BY_NAME[name], BY_NAME[name].value(row)) for name in COMPARED]
