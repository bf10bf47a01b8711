"""The mail server as one address: smtp:// in the open, smtp+tls:// that turns to TLS, smtps:// always in TLS."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


class Server(NamedTuple):
    """In the order of Django's settings."""

    host: str
    port: int
    user: str
    password: str
    turns_to_tls: bool
    starts_in_tls: bool


def server(url: str) -> Server:
    parts = urlsplit(url)
    return Server(
        host=parts.hostname or "localhost",
        port=parts.port or PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        turns_to_tls=parts.scheme == "smtp+tls",
        starts_in_tls=parts.scheme == "smtps",
    )
