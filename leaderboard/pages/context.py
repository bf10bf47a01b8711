"""What every page says at its foot: as of when, by which method."""

from __future__ import annotations

import datetime as dt

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

from leaderboard.ranking.models import Snapshot
from leaderboard.ranking.queries import latest_snapshot
from probes.result import METHODOLOGY_VERSION


class Site:
    """Asked by the base template only where a page did not bring its own snapshot: then one query."""

    def __init__(self) -> None:
        self._snapshot: Snapshot | None = None
        self._is_read = False

    @property
    def snapshot(self) -> Snapshot | None:
        if not self._is_read:
            self._snapshot, self._is_read = latest_snapshot(), True
        return self._snapshot

    @property
    def as_of(self) -> dt.datetime | None:
        return self.snapshot.as_of if self.snapshot else None

    @property
    def method(self) -> str:
        return self.snapshot.methodology_version if self.snapshot else METHODOLOGY_VERSION


def site(request: HttpRequest) -> dict[str, object]:
    return {"site": Site(), "origin": origin_of(request)}


def origin_of(request: HttpRequest) -> str:
    """Where the site stands; empty on the page that refuses a host name that is not ours."""
    try:
        return settings.BASE_URL or f"{request.scheme}://{request.get_host()}"
    except DisallowedHost:
        return ""
