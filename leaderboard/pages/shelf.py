"""Pages kept for a few seconds in the process that made them, whole and compressed, with their ETag.

A page shows nothing of its reader: no cookie, no name. So one copy serves everyone who asks for the same address
while the same snapshot is the newest; a change in the catalogue shows after `KEPT_FOR_S` at the latest.
"""

from __future__ import annotations

import gzip
import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from leaderboard.ranking.models import Snapshot

KEPT_FOR_S = 5.0
MOST_PAGES = 256
SMALLEST_COMPRESSED = 1000
Key = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True)
class Kept:
    body: bytes
    compressed: bytes
    content_type: str
    etag: str
    until: float
    """On the monotonic clock, in seconds."""


kept: OrderedDict[Key, Kept] = OrderedDict()
lock = Lock()


def key_of(request: HttpRequest) -> Key | None:
    """What makes two requests the same page, the newest snapshot included; None while there is none. One query."""
    newest = (
        Snapshot.objects.filter(window_hours=72, is_complete=True)
        .order_by("-as_of")
        .values_list("pk", flat=True)
        .first()
    )
    if newest is None:
        return None
    return request.scheme or "", request.get_host(), request.get_full_path(), newest


def find(key: Key) -> Kept | None:
    with lock:
        found = kept.get(key)
    return found if found is not None and found.until > time.monotonic() else None


def keep(key: Key | None, response: HttpResponse) -> Kept:
    """The page as it will be served; on the shelf where it has a key."""
    body = bytes(response.content)
    page = Kept(
        body=body,
        compressed=gzip.compress(body, compresslevel=6, mtime=0) if len(body) > SMALLEST_COMPRESSED else b"",
        content_type=response["Content-Type"],
        etag=f'W/"{hashlib.sha256(body).hexdigest()[:24]}"',
        until=time.monotonic() + KEPT_FOR_S,
    )
    if key is not None and KEPT_FOR_S > 0:
        with lock:
            kept[key] = page
            while len(kept) > MOST_PAGES:
                kept.popitem(last=False)
    return page


def serve(request: HttpRequest, page: Kept) -> HttpResponse:
    """304 to a reader who has it, compressed to one who can read that."""
    if page.etag in [tag.strip() for tag in request.headers.get("If-None-Match", "").split(",")]:
        response = HttpResponse(status=304)
        del response["Content-Type"]
    elif page.compressed and "gzip" in request.headers.get("Accept-Encoding", ""):
        response = HttpResponse(page.compressed, content_type=page.content_type)
        response["Content-Encoding"] = "gzip"
    else:
        response = HttpResponse(page.body, content_type=page.content_type)
    response["ETag"] = page.etag
    response["Cache-Control"] = "public, max-age=0, must-revalidate"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response
