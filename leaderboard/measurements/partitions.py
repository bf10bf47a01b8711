"""Monthly partitions of the sample table: made ahead by a job, on demand for old samples, reported when missing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from django.db import connection, transaction
from psycopg import sql

MONTHS_AHEAD = 3
LOCK_TIMEOUT = "5s"
"""A new partition locks the table for a moment; rather than queue behind a long read, try again later."""
ADVISORY_LOCK = 0x5A3D1E


def month_of(moment: dt.datetime) -> dt.date:
    """The UTC month a sample lies in, as its first day."""
    return moment.astimezone(dt.UTC).date().replace(day=1)


def next_month(month: dt.date) -> dt.date:
    return (month.replace(day=28) + dt.timedelta(days=4)).replace(day=1)


def partition_name(month: dt.date) -> str:
    return f"measurements_sample_{month:%Y_%m}"


def months_wanted(now: dt.datetime, ahead: int = MONTHS_AHEAD) -> list[dt.date]:
    """The current month and those ahead."""
    months = [month_of(now)]
    while len(months) <= ahead:
        months.append(next_month(months[-1]))
    return months


def missing_partitions(months: Iterable[dt.date]) -> list[dt.date]:
    """Those without a partition; one query."""
    months = list(months)
    with connection.cursor() as cursor:
        cursor.execute(
            "select relname from pg_class where relname = any(%s) and relispartition",
            [[partition_name(month) for month in months]],
        )
        existing = {name for (name,) in cursor.fetchall()}
    return [month for month in months if partition_name(month) not in existing]


def make_partitions(months: Iterable[dt.date]) -> list[dt.date]:
    """Make those that are missing, and return them; safe beside another process doing the same."""
    missing = missing_partitions(months)
    if not missing:
        return []
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(%s)", [ADVISORY_LOCK])
        cursor.execute(f"set local lock_timeout = '{LOCK_TIMEOUT}'")
        made = missing_partitions(missing)
        for month in made:
            cursor.execute(
                sql.SQL(
                    "create table {} partition of measurements_sample for values from ({}) to ({})"
                ).format(
                    sql.Identifier(partition_name(month)),
                    sql.Literal(f"{month:%Y-%m-%d}T00:00:00Z"),
                    sql.Literal(f"{next_month(month):%Y-%m-%d}T00:00:00Z"),
                )
            )
    return made


def make_partitions_for(moments: Iterable[dt.datetime]) -> list[dt.date]:
    """Make what samples of these instants need."""
    return make_partitions(sorted({month_of(moment) for moment in moments}))
