"""Background work of the exports."""

from __future__ import annotations

import datetime as dt

from celery import shared_task

from .months import close_due_months
from .releases import close_due_days
from .sqlite_file import write_today


@shared_task(
    name="exports.close_files",
    ignore_result=True,
    acks_late=True,
    soft_time_limit=840,
    time_limit=870,
)
def close_files() -> None:
    """Write the files of finished days and months; changes nothing where all is written."""
    now = dt.datetime.now(dt.UTC)
    close_due_days(now)
    close_due_months(now)


@shared_task(
    name="exports.write_today",
    ignore_result=True,
    acks_late=True,
    soft_time_limit=240,
    time_limit=270,
)
def write_today_file() -> None:
    """The SQLite file of today, replaced whole."""
    write_today(dt.datetime.now(dt.UTC))
