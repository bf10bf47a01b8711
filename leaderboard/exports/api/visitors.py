"""Whose request it is: the address that limits and pauses are counted by."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The visitor's address as the nearest proxy saw it, or the connection's own where there is no proxy.

    Only where TLS is ended before us is there a proxy for certain, and only its own word counts: the last entry of
    X-Forwarded-For. What stands before it was written by whoever sent the request.
    """
    connected: str = request.META.get("REMOTE_ADDR", "")
    forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    if settings.HAS_TLS and is_near(connected) and is_address(forwarded):
        return forwarded
    return connected


def is_near(text: str) -> bool:
    """Loopback or a private network: where our own proxy stands, and no visitor."""
    return is_address(text) and not ipaddress.ip_address(text).is_global


def is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
