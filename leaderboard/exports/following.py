"""/data/v1/samples/since.csv: what was stored since the last call, for whoever keeps a copy.

Nothing is lost and nothing comes twice: an answer goes up to an instant before which no transaction that writes is
still running, and the next one begins there.
"""

from __future__ import annotations

import datetime as dt

from django.db import connection
from django.http import HttpRequest, HttpResponseBase
from psycopg import sql

from .api.paging import decode, encode
from .columns import SAMPLES
from .copying import copied_csv, samples_query
from .errors import Refusal
from .responses import File, answer
from .views import answering_in_json

LATEST_ARRIVAL = dt.timedelta(hours=4)
"""A probe's sample is stored at most so long after its slot."""
OLDEST = dt.timedelta(days=35)
SETTLED = """
select least(now(), min(xact_start)) from pg_stat_activity
where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()
"""


@answering_in_json
def samples_since(request: HttpRequest) -> HttpResponseBase:
    """Without `after` no rows, only the cursor to begin with."""
    until = settled_at()
    after = cursor_instant(request.GET["after"], until) if request.GET.get("after") else until
    file = File(
        name="samples-since",
        table=SAMPLES,
        ending="csv",
        as_of=until,
        version=after.isoformat(),
        query=f"after={request.GET.get('after', '')}",
        max_age_s=0,
    )
    response = answer(request, file, lambda: copied_csv(samples_query(stored_between(after, until))))
    following = request.build_absolute_uri(f"{request.path}?after={encode((until.isoformat(),))}")
    response["Link"] += f', <{following}>; rel="next"'
    response["Cache-Control"] = "no-cache"
    return response


def settled_at() -> dt.datetime:
    """Whatever was stored before this instant can be seen now."""
    with connection.cursor() as cursor:
        cursor.execute(SETTLED)
        (settled,) = cursor.fetchone() or (None,)
    assert isinstance(settled, dt.datetime)  # noqa: S101 now() always is
    return settled


def cursor_instant(cursor: str, until: dt.datetime) -> dt.datetime:
    """Raises Refusal for what is no cursor of ours, and for one so old that the closed files are the way."""
    (text,) = decode(cursor, 1)
    try:
        after = dt.datetime.fromisoformat(text)
        age = until - after
    except (ValueError, TypeError, OverflowError):
        raise Refusal(
            400, "bad_cursor", "after is not a cursor that this file gave out.", parameter="after"
        ) from None
    if age > OLDEST:
        raise Refusal(
            410, "old_cursor", f"after is over {OLDEST.days} days old. Take the closed days and begin anew."
        )
    return after


def stored_between(after: dt.datetime, until: dt.datetime) -> sql.Composable:
    """On the index of slots: a probe is stored soon after its own."""
    return sql.SQL("s.scheduled_at > {} and s.recorded_at >= {} and s.recorded_at < {}").format(
        after - LATEST_ARRIVAL, after, until
    )
