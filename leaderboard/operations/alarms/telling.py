"""Telling a person: by mail, by a signed webhook, or both. Each way may fail without stopping the other.

Returns whether anybody was told; no exception leaves here, and no address with its secrets reaches the log.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import json
from collections.abc import Sequence

import httpx
import structlog
from django.conf import settings
from django.core.mail import EmailMessage

logger = structlog.get_logger(__name__)

TIMEOUT_S = 10
SIGNATURE = "X-Leaderboard-Signature"


def can_tell() -> bool:
    """Whether the board was told of anybody; without, the log is where alarms are read."""
    return bool(settings.ALERT_WEBHOOK or (settings.MAIL_IS_SET and settings.ALERT_MAIL))


def tell(rings: Sequence[tuple[str, str]], over: Sequence[str], *, now: dt.datetime) -> bool:
    """Pairs of name and text that ring, and names that are over."""
    told = [way(rings, over, now) for way in (by_mail, by_webhook)]
    return any(told)


def by_mail(rings: Sequence[tuple[str, str]], over: Sequence[str], now: dt.datetime) -> bool:
    if not (settings.MAIL_IS_SET and settings.ALERT_MAIL):
        return False
    message = EmailMessage(
        settings.EMAIL_SUBJECT_PREFIX + subject(rings, over),
        body(rings, over, now),
        to=list(settings.ALERT_MAIL),
    )
    try:
        return bool(message.send())
    except OSError as error:  # smtplib's own errors are OSErrors too
        logger.error("alarm not mailed", kind=type(error).__name__)
        return False


def subject(rings: Sequence[tuple[str, str]], over: Sequence[str]) -> str:
    names = [name for name, _ in rings] or [f"{name} is over" for name in over]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{more}"


def body(rings: Sequence[tuple[str, str]], over: Sequence[str], now: dt.datetime) -> str:
    lines = [f"{name}\n{text}\n" for name, text in rings]
    lines += [f"{name}\nis over.\n" for name in over]
    address = settings.BASE_URL or "this board"
    return "\n".join([*lines, f"Seen at {now:%Y-%m-%d %H:%M} UTC by {address}."])


def by_webhook(rings: Sequence[tuple[str, str]], over: Sequence[str], now: dt.datetime) -> bool:
    """POST of JSON, signed over `time.body`: the receiver can tell that it is ours and new."""
    if not settings.ALERT_WEBHOOK:
        return False
    text = json.dumps(
        {
            "board": settings.BASE_URL or "",
            "at": now.isoformat(timespec="seconds"),
            "ringing": [{"name": name, "text": text} for name, text in rings],
            "over": list(over),
        }
    )
    seconds = str(int(now.timestamp()))
    headers = {
        "Content-Type": "application/json",
        SIGNATURE: f"t={seconds},v1={signature(seconds, text, settings.ALERT_SECRET or '')}",
    }
    return post(settings.ALERT_WEBHOOK, text, headers)


def signature(seconds: str, text: str, secret: str) -> str:
    signed = f"{seconds}.{text}".encode()
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def post(url: str, text: str, headers: dict[str, str]) -> bool:
    try:
        answer = httpx.post(url, content=text, headers=headers, timeout=TIMEOUT_S, follow_redirects=False)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        logger.error("alarm not posted", kind=type(error).__name__)
        return False
    if not answer.is_success:
        logger.error("alarm not posted", status=answer.status_code)
    return answer.is_success


def ask_deadman() -> bool:
    """Tell the other machine that the schedule runs; False where that failed or none is named."""
    if not settings.DEADMAN_URL:
        return False
    try:
        return httpx.get(settings.DEADMAN_URL, timeout=TIMEOUT_S, follow_redirects=True).is_success
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        logger.error("dead-man URL not reached", kind=type(error).__name__)
        return False
