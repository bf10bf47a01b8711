"""Background work of the exports."""

from __future__ import annotations

import datetime as dt

from celery import shared_task

from .months import close_due_months
from .releases import close_due_days


@shared_task(
    name="exports.close_files",
    queue="board",
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
