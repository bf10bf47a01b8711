"""Asking the web server from outside whether it works. No Django: the supervisor uses it."""

from __future__ import annotations

import http.client
import time
import urllib.request
from urllib.error import URLError

# No proxy of the environment stands between a machine and itself.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def answers(url: str, *, timeout_s: float) -> bool:
    """Whether `url` answers 200 in time."""
    try:
        with opener.open(url, timeout=timeout_s) as response:
            return int(response.status) == 200
    except (URLError, OSError, http.client.HTTPException):
        return False


class Check:
    """A repeated question; failed once it went unanswered several times on end."""

    def __init__(self, url: str, *, every_s: float, failures_borne: int, timeout_s: float = 3) -> None:
        self.url = url
        self.every_s = every_s
        self.failures_borne = failures_borne
        self.timeout_s = timeout_s
        self.failures = 0
        self.next_at = time.monotonic() + every_s

    def has_failed(self) -> bool:
        """Ask if it is time to; true once per run of failures, so that the restarted server gets its chance."""
        if time.monotonic() < self.next_at:
            return False
        self.failures = 0 if answers(self.url, timeout_s=self.timeout_s) else self.failures + 1
        self.next_at = time.monotonic() + self.every_s
        if self.failures <= self.failures_borne:
            return False
        self.failures = 0
        return True
