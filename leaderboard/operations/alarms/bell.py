"""Which alarms begin, last and end. A person is told of the first sight, once a day while it lasts, and of the end."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import structlog
from django.db import transaction

from leaderboard.operations.alarms.conditions import Ringing, ringing
from leaderboard.operations.alarms.telling import can_tell, tell
from leaderboard.operations.models import Alarm

logger = structlog.get_logger(__name__)

REMIND_AFTER = dt.timedelta(hours=24)
SETTLE = dt.timedelta(minutes=3)
"""A condition must last so long before it rings: a restart is no alarm."""


def ring(now: dt.datetime) -> list[Alarm]:
    """Look at every condition, remember, tell; the alarms that a person was to be told of now."""
    found = ringing(now)
    begin_or_go_on(found, now)
    over = end_others({ring.name for ring in found}, now)
    due = due_to_tell(now)
    if not due and not over:
        return []
    for alarm in due:
        logger.warning("alarm", name=alarm.name, text=alarm.text)
    if not can_tell() or tell([(a.name, a.text) for a in due], [a.name for a in over], now=now):
        Alarm.objects.filter(pk__in=[a.pk for a in due]).update(told_at=now)
    return due


def begin_or_go_on(found: Sequence[Ringing], now: dt.datetime) -> None:
    """Running twice at once begins one alarm: the name is unique while it rings."""
    for condition in found:
        open_ones = Alarm.objects.filter(name=condition.name, ended_at__isnull=True)
        if not open_ones.update(text=condition.text[:1000]):
            Alarm.objects.bulk_create(
                [Alarm(name=condition.name, text=condition.text[:1000], since=now)], ignore_conflicts=True
            )


def end_others(names: set[str], now: dt.datetime) -> list[Alarm]:
    """The ended ones that a person had been told of."""
    with transaction.atomic():
        others = list(Alarm.objects.select_for_update().filter(ended_at__isnull=True).exclude(name__in=names))
        Alarm.objects.filter(pk__in=[a.pk for a in others]).update(ended_at=now)
    return [alarm for alarm in others if alarm.told_at is not None]


def due_to_tell(now: dt.datetime) -> list[Alarm]:
    open_ones = Alarm.objects.filter(ended_at__isnull=True, since__lte=now - SETTLE).order_by("since")
    return [a for a in open_ones if a.told_at is None or now - a.told_at >= REMIND_AFTER]
