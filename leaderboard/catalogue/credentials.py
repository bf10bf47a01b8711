"""API keys: named by a variable, or kept encrypted; read at the last moment and shown to nobody.

`key_for` is the only way to a key. No function here logs, and no error text holds any part of a key.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db.models import QuerySet

from leaderboard.catalogue.models import Provider

KEPT_KEY_FILE = "credentials_key"
MAY_DIRECT_KEYS = "catalogue.change_board"
"""The operator's right: to name a variable as a key, and to send a key that somebody else entered to another host."""
OWN_VARIABLES = frozenset(
    (
        "SECRET_KEY",
        "DATABASE_URL",
        "CELERY_BROKER_URL",
        "SENTRY_DSN",
        "POSTGRES_PASSWORD",
        "PGPASSWORD",
        "PATH",
        "HOME",
    )
)
OWN_PREFIXES = ("LEADERBOARD_", "DJANGO_")
SEALED_FOR_S = 3600


class CredentialsProblem(Exception):
    """A key cannot be stored; the text says what to set."""


def key_for(provider: Provider, environment: Mapping[str, str] = os.environ) -> str | None:
    """The provider's key: its variable first, then the stored one; None where neither can be read.

    The board's own secrets are nobody's key, whatever a row says.
    """
    if provider.api_key_env and not is_own_variable(provider.api_key_env):
        named = environment.get(provider.api_key_env, "").strip()
        if named:
            return named
    return decrypted(provider.encrypted_api_key)


def is_own_variable(name: str) -> bool:
    """Whether a variable is the board's or the system's, and must never be sent as a key."""
    return name.upper() in OWN_VARIABLES or name.upper().startswith(OWN_PREFIXES)


def has_key(provider: Provider) -> bool:
    """Whether something would be sent as its key."""
    return bool(provider.api_key_env or provider.encrypted_api_key)


def is_same_host(one: str, other: str) -> bool:
    """Whether a key entered for one base URL may go to the other: same scheme, host and port."""
    first, second = urlsplit(one.lower()), urlsplit(other.lower())
    return (first.scheme, first.netloc) == (second.scheme, second.netloc)


def store_key(provider: Provider, key: str, *, now: dt.datetime) -> None:
    """Put the encrypted key on the provider, unsaved. Raises CredentialsProblem."""
    provider.encrypted_api_key = cipher().encrypt(key.strip().encode()).decode()
    provider.api_key_set_at = now


def forget_key(provider: Provider) -> None:
    provider.encrypted_api_key = ""
    provider.api_key_set_at = None


def describe_key(provider: Provider, environment: Mapping[str, str] = os.environ) -> str:
    """What may be said of the key: where it comes from and since when, never any part of it."""
    if provider.api_key_env and environment.get(provider.api_key_env, "").strip():
        return f"in variable {provider.api_key_env}"
    if provider.encrypted_api_key and decrypted(provider.encrypted_api_key) is None:
        return "stored, but not readable: LEADERBOARD_CREDENTIALS_KEY has changed; paste the key again"
    if provider.api_key_set_at:
        return f"set on {provider.api_key_set_at.day} {provider.api_key_set_at:%B}"
    if provider.api_key_env:
        return f"variable {provider.api_key_env} is not set"
    return "none"


def rotate(rows: QuerySet[Any], column: str) -> tuple[int, list[str]]:
    """Encrypt a column anew with the first credentials key: how many rows could be, and the names of those not."""
    rotated, unreadable = 0, []
    for row in rows.exclude(**{column: ""}).order_by("pk"):
        try:
            token = cipher().rotate(getattr(row, column).encode())
        except InvalidToken:
            unreadable.append(str(row))
            continue
        rows.filter(pk=row.pk).update(**{column: token.decode()})
        rotated += 1
    return rotated, unreadable


def seal(key: str, *, holder: str) -> str:
    """The key as a token that only this board can open, for the same holder and within the hour.

    It lets a form come back without the key in it, and still keep it. Raises CredentialsProblem.
    """
    return cipher().encrypt(json.dumps([holder, key]).encode()).decode()


def unseal(token: str, *, holder: str) -> str:
    """The key inside; empty where the token is none, too old or another's."""
    try:
        sealed_for, key = json.loads(cipher().decrypt(token.encode(), ttl=SEALED_FOR_S))
    except (InvalidToken, CredentialsProblem, ValueError):
        return ""
    return str(key) if sealed_for == holder else ""


def decrypted(token: str) -> str | None:
    if not token:
        return None
    try:
        return cipher().decrypt(token.encode()).decode()
    except (InvalidToken, CredentialsProblem):
        return None


def cipher() -> MultiFernet:
    """Of the credentials keys, first of them to encrypt and all to decrypt. Raises CredentialsProblem."""
    text: str = settings.CREDENTIALS_KEY or kept_key(settings.DATA_DIR)
    try:
        return MultiFernet([Fernet(key.strip()) for key in text.split(",") if key.strip()])
    except ValueError:
        raise CredentialsProblem(
            "LEADERBOARD_CREDENTIALS_KEY must be one or more keys made by `manage.py credentials_key`, "
            "separated by commas, the newest first."
        ) from None


def kept_key(data_dir: Path) -> str:
    """The key of a board that was given none: made on first use beside its data, readable by its owner only."""
    path = data_dir / KEPT_KEY_FILE
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    except OSError:
        raise CredentialsProblem(
            "The key cannot be stored: the data directory cannot be written. Set LEADERBOARD_CREDENTIALS_KEY, "
            "or name the environment variable that holds the key."
        ) from None
    with os.fdopen(descriptor, "w") as file:
        key = Fernet.generate_key().decode()
        file.write(key)
    return key
