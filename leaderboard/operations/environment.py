"""The environment, read once and checked: every variable the board knows, and a sentence for what is wrong.

No Django here: the settings are made from it.
"""

from __future__ import annotations

import base64
import difflib
import importlib.util
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent.parent

KNOWN_LEADERBOARD_NAMES = (
    "LEADERBOARD_DATA_DIR",
    "LEADERBOARD_BASE_URL",
    "LEADERBOARD_PROBE_LOCATION",
    "LEADERBOARD_CREDENTIALS_KEY",
    "LEADERBOARD_SMTP_URL",
    "LEADERBOARD_MAIL_FROM",
    "LEADERBOARD_ALERT_MAIL",
    "LEADERBOARD_ALERT_WEBHOOK",
    "LEADERBOARD_ALERT_SECRET",
    "LEADERBOARD_DEADMAN_URL",
)
DATABASE_SCHEMES = ("postgres", "postgresql")
WEB_SCHEMES = ("https", "http")
SMTP_SCHEMES = ("smtp", "smtp+tls", "smtps")
MAIL_ADDRESS = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+")
LEAST_SECRET_CHARS = 16
CREDENTIALS_KEY_BYTES = 32
BROKER_SCHEMES = ("redis", "rediss", "redis+socket", "valkey", "amqp", "amqps")


class EnvironmentProblem(Exception):
    """A variable is malformed or unknown; the text names it and says what to set."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Checked values; None where a variable is not set and the embedded service or a default stands in."""

    data_dir: Path
    database_url: str | None = field(repr=False)
    broker_url: str | None = field(repr=False)
    secret_key: str | None = field(repr=False)
    credentials_key: str | None = field(repr=False)
    base_url: str | None
    probe_location: str
    allowed_hosts: tuple[str, ...]
    smtp_url: str | None = field(repr=False)
    mail_from: str | None
    alert_mail: tuple[str, ...]
    alert_webhook: str | None = field(repr=False)
    alert_secret: str | None = field(repr=False)
    deadman_url: str | None = field(repr=False)
    sentry_dsn: str | None = field(repr=False)
    web_processes: int = 1


def read_environment(variables: Mapping[str, str] = os.environ) -> Environment:
    """Raise EnvironmentProblem for the first malformed value or unknown LEADERBOARD_ name."""
    refuse_unknown_names(variables)
    data_dir = variables.get("LEADERBOARD_DATA_DIR", "").strip()
    return Environment(
        data_dir=Path(data_dir).expanduser().absolute() if data_dir else ROOT / ".data",
        database_url=checked_url(
            variables, "DATABASE_URL", DATABASE_SCHEMES, "postgresql://user:password@host/name"
        ),
        broker_url=checked_url(variables, "CELERY_BROKER_URL", BROKER_SCHEMES, "redis://host:6379/0"),
        secret_key=variables.get("SECRET_KEY", "").strip() or None,
        credentials_key=checked_credentials_key(variables),
        base_url=checked_base_url(variables),
        probe_location=checked_probe_location(variables),
        allowed_hosts=tuple(h.strip() for h in variables.get("ALLOWED_HOSTS", "").split(",") if h.strip()),
        smtp_url=checked_url(
            variables, "LEADERBOARD_SMTP_URL", SMTP_SCHEMES, "smtp+tls://user:password@mail.example.org:587"
        ),
        mail_from=next(iter(checked_addresses(variables, "LEADERBOARD_MAIL_FROM")), None),
        alert_mail=checked_addresses(variables, "LEADERBOARD_ALERT_MAIL"),
        alert_webhook=checked_url(
            variables, "LEADERBOARD_ALERT_WEBHOOK", WEB_SCHEMES, "https://chat.example.org/hook"
        ),
        alert_secret=checked_alert_secret(variables),
        deadman_url=checked_url(
            variables, "LEADERBOARD_DEADMAN_URL", WEB_SCHEMES, "https://ping.example.org/id"
        ),
        sentry_dsn=checked_sentry_dsn(variables),
        web_processes=checked_web_processes(variables),
    )


def checked_web_processes(variables: Mapping[str, str]) -> int:
    """The web server's own variable: how many of it share the API's limit."""
    text = variables.get("GRANIAN_WORKERS", "").strip() or "1"
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise EnvironmentProblem("GRANIAN_WORKERS must be the number of web processes, such as 2.")
    return int(text)


def refuse_unknown_names(variables: Mapping[str, str]) -> None:
    for name in sorted(variables):
        if name.startswith("LEADERBOARD_") and name not in KNOWN_LEADERBOARD_NAMES:
            near = difflib.get_close_matches(name, KNOWN_LEADERBOARD_NAMES, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Known are {', '.join(KNOWN_LEADERBOARD_NAMES)}."
            raise EnvironmentProblem(
                f"{name} is not a variable of this board. {hint} Unset it or correct its name."
            )


def checked_url(
    variables: Mapping[str, str], name: str, schemes: tuple[str, ...], example: str
) -> str | None:
    """The value where its scheme is one of `schemes`; the value itself, which may hold a password, is never shown."""
    value = variables.get(name, "").strip()
    if not value:
        return None
    try:
        scheme = urlsplit(value).scheme
    except ValueError:
        scheme = ""
    if scheme not in schemes:
        raise EnvironmentProblem(
            f"{name} must start with {' or '.join(s + '://' for s in schemes)}, as in {example}."
        )
    return value


def checked_credentials_key(variables: Mapping[str, str]) -> str | None:
    """One or more Fernet keys, the newest first; the value is never shown."""
    value = variables.get("LEADERBOARD_CREDENTIALS_KEY", "").strip()
    if not value:
        return None
    for key in value.split(","):
        try:
            length = len(base64.b64decode(key.strip(), altchars=b"-_", validate=True))
        except ValueError:
            length = 0
        if length != CREDENTIALS_KEY_BYTES:
            raise EnvironmentProblem(
                "LEADERBOARD_CREDENTIALS_KEY must be one or more keys made by `manage.py credentials_key`, "
                "separated by commas, the newest first. Unset it and the board makes its own."
            )
    return value


def checked_base_url(variables: Mapping[str, str]) -> str | None:
    value = variables.get("LEADERBOARD_BASE_URL", "").strip().rstrip("/")
    if not value:
        return None
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path:
        raise EnvironmentProblem(
            "LEADERBOARD_BASE_URL must be the site's origin, as in https://board.example.org."
        )
    return value


def checked_probe_location(variables: Mapping[str, str]) -> str:
    value = variables.get("LEADERBOARD_PROBE_LOCATION", "").strip() or "local"
    if not (
        value.isascii() and value.replace("-", "").isalnum() and value == value.lower() and len(value) <= 64
    ):
        raise EnvironmentProblem(
            "LEADERBOARD_PROBE_LOCATION must be a short label of lower-case letters, digits and hyphens, as in eu-west."
        )
    return value


def checked_addresses(variables: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Mail addresses with commas between; empty where the variable is not set."""
    addresses = tuple(text.strip() for text in variables.get(name, "").split(",") if text.strip())
    if not all(MAIL_ADDRESS.fullmatch(address) for address in addresses):
        raise EnvironmentProblem(f"{name} must be mail addresses with commas between, as in ada@example.org.")
    if addresses and not variables.get("LEADERBOARD_SMTP_URL", "").strip():
        raise EnvironmentProblem(
            f"{name} needs a mail server: set LEADERBOARD_SMTP_URL, as in smtp+tls://user:password@host:587."
        )
    return addresses


def checked_alert_secret(variables: Mapping[str, str]) -> str | None:
    value = variables.get("LEADERBOARD_ALERT_SECRET", "").strip()
    if variables.get("LEADERBOARD_ALERT_WEBHOOK", "").strip() and len(value) < LEAST_SECRET_CHARS:
        raise EnvironmentProblem(
            f"LEADERBOARD_ALERT_SECRET must be at least {LEAST_SECRET_CHARS} characters, known to the receiver of "
            "LEADERBOARD_ALERT_WEBHOOK too: it signs what is sent."
        )
    return value or None


def checked_sentry_dsn(variables: Mapping[str, str]) -> str | None:
    dsn = checked_url(variables, "SENTRY_DSN", WEB_SCHEMES, "https://key@sentry.example.org/1")
    if dsn and importlib.util.find_spec("sentry_sdk") is None:
        raise EnvironmentProblem(
            "SENTRY_DSN needs a package that is not installed: pip install 'sentry-sdk>=2.40', or unset it."
        )
    return dsn
