"""Samples into the database, each once: insert or ignore on the natural key, so that doing it again changes nothing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Greatest, Least
from psycopg import sql
from psycopg.types.json import Jsonb

from leaderboard.catalogue.models import Offering
from leaderboard.measurements.models import Sample
from leaderboard.measurements.partitions import make_partitions_for

COLUMNS = tuple(
    field.column
    for field in Sample._meta.local_fields
    if field.column is not None and field.column != "recorded_at"
)
ATTRIBUTES = tuple(
    field.attname
    for field in Sample._meta.local_fields
    if field.column is not None and field.column != "recorded_at"
)
COLUMN_LIST = sql.SQL(", ").join(sql.Identifier(column) for column in COLUMNS)
LONGEST_WAIT = dt.timedelta(hours=24)
"""A Retry-After beyond it is cut: a provider may not silence its own row for weeks."""


def record_sample(sample: Sample) -> bool:
    """Insert one sample; False where it, or another of its natural key, is there already."""
    return record_few([sample]) == 1


def record_few(samples: Sequence[Sample]) -> int:
    """Insert the samples of one probe in one transaction, and tell their offering; how many were new."""
    make_partitions_for(sample.scheduled_at for sample in samples)
    insert = sql.SQL(
        "insert into measurements_sample ({}) values ({}) on conflict do nothing returning sample_id"
    ).format(COLUMN_LIST, sql.SQL(", ").join([sql.Placeholder()] * len(COLUMNS)))
    with transaction.atomic(), connection.cursor() as cursor:
        new = []
        for sample in samples:
            cursor.execute(insert, values_of(sample))
            if cursor.fetchone():
                new.append(sample)
        tell_offerings(new)
    return len(new)


def record_samples(samples: Iterable[Sample]) -> int:
    """Insert many by COPY in one transaction, all or none; how many were new.

    Offerings are not told one by one: the caller says `refresh_offerings` when it is done.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "create temp table incoming (like measurements_sample including defaults) on commit drop"
        )
        months: set[dt.datetime] = set()
        with cursor.copy(sql.SQL("copy incoming ({}) from stdin").format(COLUMN_LIST)) as copy:
            for sample in samples:
                months.add(sample.scheduled_at.replace(day=1, hour=0, minute=0, second=0, microsecond=0))
                copy.write_row(values_of(sample))
        make_partitions_for(months)
        cursor.execute(
            sql.SQL(
                "insert into measurements_sample ({0}) select {0} from incoming "
                "order by scheduled_at, sequence on conflict do nothing"
            ).format(COLUMN_LIST)
        )
        new = int(cursor.rowcount)
        cursor.execute("drop table incoming")
    return new


def values_of(sample: Sample) -> list[Any]:
    values = [getattr(sample, name) for name in ATTRIBUTES]
    return [Jsonb(value) if isinstance(value, dict) else value for value in values]


def tell_offerings(samples: Iterable[Sample]) -> None:
    """What the newest samples change on their offerings; by conditional update, so that order does not matter."""
    for sample in samples:
        changes: dict[str, Any] = {
            "first_probed_on": Least(
                Coalesce(F("first_probed_on"), sample.started_at.date()), sample.started_at.date()
            )
        }
        if sample.outcome == "ok":
            changes["last_ok_at"] = Greatest(Coalesce(F("last_ok_at"), sample.started_at), sample.started_at)
        if sample.retry_after_s:
            wait = min(dt.timedelta(seconds=sample.retry_after_s), LONGEST_WAIT)
            until = sample.started_at + wait
            changes["not_before"] = Greatest(Coalesce(F("not_before"), until), until)
        Offering.objects.filter(pk=sample.offering_id).update(**changes)
