"""The generated board that `site.py` measures: offerings, samples of 35 days, and all that is made from samples."""

from __future__ import annotations

import datetime as dt
import time
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

UNCOMPRESSED_UP_TO = 10_000
"""Samples: a smoke run has no five seconds for compressing the interactive charts' bundle, which it asks for never."""


@contextmanager
def filled_database(folder: Path, *, offerings: int, samples: int) -> Iterator[None]:
    """Django set up on a Postgres of its own; `samples` as the storage benchmark has them, the newest of this hour."""
    from leaderboard.operations.embedded.postgres import EmbeddedPostgres

    database = EmbeddedPostgres(folder, durable=False)
    database.start()
    try:
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", verbosity=0)
        collect_static(compressed=samples > UNCOMPRESSED_UP_TO)
        fill(offerings, samples)
        connection.close()
        yield
    finally:
        database.stop()


def collect_static(*, compressed: bool) -> None:
    from django.core.management import call_command
    from django.test import override_settings

    skipped = {} if compressed else {"WHITENOISE_SKIP_COMPRESS_EXTENSIONS": ("js",)}
    with override_settings(**skipped):
        call_command("collectstatic", interactive=False, verbosity=0)


def fill(offerings: int, samples: int) -> None:
    """Offerings, samples, the three snapshots, and the history made from them."""
    from leaderboard.ranking.history import catch_up_history
    from leaderboard.ranking.schedule import OTHER_WINDOWS
    from leaderboard.ranking.summarise import make_snapshot
    from tests.benchmarks import generated_samples

    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    generated_samples.AS_OF = now.replace(minute=0, second=0)
    generated_samples.make_offerings()
    leave(offerings)
    generated_samples.fill(0, samples)
    for hours in (*OTHER_WINDOWS, 72):
        make_snapshot(as_of=now, window_hours=hours)
    catch_up_history(now)


def leave(offerings: int) -> None:
    """The first so many; the storage benchmark makes 875, and the generator numbers them from the first."""
    from leaderboard.catalogue.models import Offering

    kept = Offering.objects.order_by("pk").values_list("pk", flat=True)[:offerings]
    Offering.objects.exclude(pk__in=list(kept)).delete()


def draw(wanted: Collection[str]) -> dict[str, float]:
    """Draw those pages ahead as the worker does, `/` with all lists; seconds, pages and pictures."""
    from leaderboard.charts.models import Rendering
    from leaderboard.pages import ahead

    began = time.perf_counter()
    done = ahead.Memory()
    ahead.draw_ahead(dt.datetime.now(dt.UTC), seconds=0, done=done)
    pages = deque(page for page in (*done.first, *done.pairs) if page.path in wanted)
    ahead.draw_waiting(pages, done, until_s=float("inf"))
    return {
        "seconds": time.perf_counter() - began,
        "pages": float(len(done.states)),
        "pictures": float(Rendering.objects.count()),
    }
