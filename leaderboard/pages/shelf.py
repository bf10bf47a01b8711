"""Pages kept for a few seconds in the process that made them, whole and compressed, with their ETag.

A page shows nothing of its reader: no cookie, no name. So one copy serves everyone who asks for the same address
while the same snapshot is the newest. Which one that is, each process asks once in `NEWEST_FOR_S`: a new snapshot
shows after that at the latest, a change in the catalogue after `KEPT_FOR_S`.
"""

from __future__ import annotations

import gzip
import hashlib
import time
from collections import OrderedDict
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import Lock, RLock

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from leaderboard.ranking.models import Snapshot

KEPT_FOR_S = 5.0
NEWEST_FOR_S = 1.0
MOST_BYTES = 16_000_000
"""Of compressed pages in one process: some 400 at 40 kB."""
Key = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True)
class Kept:
    compressed: bytes
    """As nearly every reader takes it; the few others have it unpacked for them."""
    content_type: str
    etag: str
    until: float
    """On the monotonic clock, in seconds."""


@dataclass(frozen=True, slots=True)
class Newest:
    """The number of the newest snapshot, and until when that is believed without asking."""

    snapshot: int
    until: float


kept: OrderedDict[Key, Kept] = OrderedDict()
lock = Lock()
makers = [RLock() for _ in range(64)]
"""One for several addresses: two of them made after each other by chance cost less than a lock kept for each."""
believed: Newest | None = None


def key_of(request: HttpRequest) -> Key | None:
    """What makes two requests the same page, the newest snapshot included; None while there is none."""
    newest = newest_snapshot()
    if newest is None:
        return None
    return request.scheme or "", request.get_host(), request.get_full_path(), newest


def newest_snapshot() -> int | None:
    """One query in `NEWEST_FOR_S`; the first snapshot of a board is asked for until it is there.

    The time is taken before the question, so what is believed is never older than that.
    """
    global believed
    now, found = time.monotonic(), believed
    if found is not None and now < found.until:
        return found.snapshot
    newest = (
        Snapshot.objects.filter(window_hours=72, is_complete=True)
        .order_by("-as_of")
        .values_list("pk", flat=True)
        .first()
    )
    believed = None if newest is None else Newest(newest, now + NEWEST_FOR_S)
    return newest


def find(key: Key) -> Kept | None:
    with lock:
        found = kept.get(key)
    return found if found is not None and found.until > time.monotonic() else None


def made_by_one(key: Key | None) -> AbstractContextManager[object]:
    """While one thread makes a page, the others who want it wait for that; a page without a key is made by each."""
    return nullcontext() if key is None else makers[hash(key) % len(makers)]


def keep(key: Key | None, response: HttpResponse) -> Kept:
    """The page as it will be served; on the shelf where it has a key."""
    body = bytes(response.content)
    page = Kept(
        compressed=gzip.compress(body, compresslevel=6, mtime=0),
        content_type=response["Content-Type"],
        etag=f'W/"{hashlib.sha256(body).hexdigest()[:24]}"',
        until=time.monotonic() + KEPT_FOR_S,
    )
    if key is not None and KEPT_FOR_S > 0:
        with lock:
            kept[key] = page
            kept.move_to_end(key)
            make_room()
    return page


def make_room() -> None:
    """Take down what has grown old, which stands first, and then the oldest until the rest is small enough."""
    now, size = time.monotonic(), sum(len(page.compressed) for page in kept.values())
    while kept:
        oldest = next(iter(kept.values()))
        if oldest.until > now and size <= MOST_BYTES:
            return
        size -= len(oldest.compressed)
        kept.popitem(last=False)


def serve(request: HttpRequest, page: Kept) -> HttpResponse:
    """304 to a reader who has it, compressed to one who can read that."""
    if page.etag in [tag.strip() for tag in request.headers.get("If-None-Match", "").split(",")]:
        response = HttpResponse(status=304)
        del response["Content-Type"]
    elif "gzip" in request.headers.get("Accept-Encoding", ""):
        response = HttpResponse(page.compressed, content_type=page.content_type)
        response["Content-Encoding"] = "gzip"
    else:
        response = HttpResponse(gzip.decompress(page.compressed), content_type=page.content_type)
    response["ETag"] = page.etag
    response["Cache-Control"] = "public, max-age=0, must-revalidate"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response
