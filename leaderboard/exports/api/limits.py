"""Sixty requests a minute for each address; files have no limit.

Each web process counts for itself and grants its share: with two processes thirty each. A count that all of them share
would cost every look-up a write.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict

from django.http import HttpRequest
from ninja.throttling import BaseThrottle

from .visitors import client_address

PER_MINUTE = 60
"""What an address may ask for of the whole board."""
ADDRESSES_KEPT = 10_000


def share_of_one_process(processes: int) -> int:
    """At least one, so that every process answers."""
    return max(1, PER_MINUTE // processes)


class RateLimit:
    """A bucket that holds a minute's requests and fills evenly; the longest idle addresses are forgotten first."""

    def __init__(self, per_minute: int = PER_MINUTE) -> None:
        self.per_minute = per_minute
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, address: str, now_s: float | None = None) -> int:
        """0 where the request may go ahead, else the whole seconds until one may."""
        now_s = time.monotonic() if now_s is None else now_s
        with self._lock:
            left, seen_s = self._buckets.pop(address, (float(self.per_minute), now_s))
            left = min(float(self.per_minute), left + (now_s - seen_s) * self.per_minute / 60)
            allowed = left >= 1
            self._buckets[address] = (left - 1 if allowed else left, now_s)
            while len(self._buckets) > ADDRESSES_KEPT:
                self._buckets.popitem(last=False)
        return 0 if allowed else math.ceil((1 - left) * 60 / self.per_minute)


class ByAddress(BaseThrottle):
    """The limit as the API's framework asks for it."""

    def __init__(self, limit: RateLimit) -> None:
        self.limit = limit
        self._asked = threading.local()

    def allow_request(self, request: HttpRequest) -> bool:
        self._asked.wait_s = self.limit.wait_s(client_address(request))
        return not self._asked.wait_s

    def wait(self) -> int:
        """Of the request this thread asked about last."""
        return int(self._asked.wait_s)
