"""Signed webhooks: every change on the board, posted in order to the addresses that an administrator entered.

An answer other than 2xx is tried again, later each time; an event is never skipped, so the receiver may get one twice
after a lost answer and knows it by its id. No secret leaves here but as a signature.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import httpx
import structlog
from django.conf import settings
from django.db.models import F, Max, Q

from leaderboard.catalogue.credentials import cipher, decrypted
from leaderboard.exports.columns.changes import CHANGES
from leaderboard.exports.writers import json_text
from leaderboard.operations.alarms.telling import SIGNATURE, TIMEOUT_S, signature
from leaderboard.operations.models import Webhook
from leaderboard.ranking.models import Event

logger = structlog.get_logger(__name__)

AT_ONCE = 50
"""Events in one POST."""
AT_A_TIME = 5
"""Webhooks in one run: each may take its whole time limit."""
LONGEST_PAUSE = dt.timedelta(hours=6)


def tell_webhooks(now: dt.datetime) -> int:
    """Post what is due; how many POSTs arrived. A hook is claimed first, so that two runs never tell it at once."""
    due = Webhook.objects.filter(Q(next_try_at__isnull=True) | Q(next_try_at__lte=now), is_active=True)
    tried = told = 0
    for hook in due.order_by(F("last_ok_at").asc(nulls_first=True), "pk"):
        events = waiting(hook)
        if not events or not claim(hook, now):
            continue
        told += tell(hook, events, now)
        tried += 1
        if tried == AT_A_TIME:
            break
    return told


def newest_event() -> int:
    return int(Event.objects.aggregate(newest=Max("pk"))["newest"] or 0)


def keep_secret(hook: Webhook, secret: str) -> None:
    """Encrypted with the credentials key, unsaved."""
    hook.encrypted_secret = cipher().encrypt(secret.encode()).decode()


def waiting(hook: Webhook) -> list[Event]:
    """The oldest events that the hook was not told of."""
    events = Event.objects.filter(pk__gt=hook.last_event).select_related(
        "offering__provider", "offering__model"
    )
    if not hook.with_simulated:
        events = events.filter(simulated=False)
    return list(events.order_by("pk")[:AT_ONCE])


def claim(hook: Webhook, now: dt.datetime) -> bool:
    """Another run finds it not due until this one's POST is surely over."""
    mine = Webhook.objects.filter(pk=hook.pk, next_try_at=hook.next_try_at, last_event=hook.last_event)
    return mine.update(next_try_at=now + dt.timedelta(seconds=6 * TIMEOUT_S)) == 1


def tell(hook: Webhook, events: Sequence[Event], now: dt.datetime) -> bool:
    problem = post(hook, body_of(events, now), delivery=f"{hook.pk}-{events[0].pk}-{events[-1].pk}", now=now)
    if problem:
        pause = min(dt.timedelta(minutes=2 ** min(hook.failures, 10)), LONGEST_PAUSE)
        Webhook.objects.filter(pk=hook.pk).update(
            failures=F("failures") + 1, next_try_at=now + pause, last_error=problem
        )
        logger.warning("webhook not told", webhook=hook.name, problem=problem)
        return False
    Webhook.objects.filter(pk=hook.pk).update(
        last_event=events[-1].pk, failures=0, next_try_at=None, last_ok_at=now, last_error=""
    )
    return True


def body_of(events: Sequence[Event], now: dt.datetime) -> str:
    """The rows of /changes.json, oldest first."""
    about: dict[str, object] = {
        "board": settings.BASE_URL or "",
        "at": now.isoformat(timespec="seconds"),
        "table": CHANGES.name,
    }
    return json_text(CHANGES.columns, events, about=about)


def post(hook: Webhook, text: str, *, delivery: str, now: dt.datetime) -> str:
    """What went wrong, in a few words without the address; empty where it arrived."""
    secret = decrypted(hook.encrypted_secret)
    if not secret:
        return "its secret cannot be read: enter it again"
    seconds = str(int(now.timestamp()))
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        SIGNATURE: f"t={seconds},v1={signature(seconds, text, secret)}",
        "X-Leaderboard-Delivery": delivery,
    }
    try:
        answer = httpx.post(
            hook.url, content=text, headers=headers, timeout=TIMEOUT_S, follow_redirects=False
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return type(error).__name__
    return "" if answer.is_success else f"status {answer.status_code}"
