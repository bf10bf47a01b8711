"""Every kind of page asks the database as often for a large board as for a small one."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.catalogue.models import LanguageModel, Provider
from leaderboard.charts import pictures
from leaderboard.charts.models import Rendering
from leaderboard.charts.pictures import Figure
from leaderboard.charts.theme import Width
from leaderboard.ranking.models import Event, Snapshot, Summary
from leaderboard.ranking.queries import rows_of_snapshot
from tests.factories import make_model, make_price, make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot

from .boards import make_row
from .test_self_hosted import serve
from .test_subjects import make_days, make_profile

pytestmark = pytest.mark.django_db

QUERIES = {
    "/": 5,
    "/offerings/": 4,
    "/models/": 5,
    "/models/maker/m0/": 9,
    "/providers/": 5,
    "/providers/p0/": 8,
    "/offerings/p0~m0/": 10,
    "/frontier/": 4,
    "/compare/?o=p0~m0&o=p1~m0": 4,
    "/choose/": 3,
    "/self-hosted/": 8,
    "/self-hosted/box/": 12,
    "/status/": 25,
    "/changes/": 3,
    "/corrections/": 4,
    "/search?q=m": 5,
    "/methodology/": 3,
    "/glossary/": 2,
    "/about/": 3,
    "/api/": 2,
    "/embed/": 6,
    "/embed/tradeoff/": 4,
    "/sitemap.xml": 6,
}
"""Queries of a page with nothing in memory and its pictures drawn."""


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(figure: Figure, width: Width) -> Rendering:
        return Rendering(key=figure.key, chart=figure.chart, width=width, svg="<svg></svg>", spec={})

    monkeypatch.setattr(pictures, "_drawn", draw)


def grow(size: int) -> None:
    """A next snapshot: so many providers each sell so many models, each pair with prices, days, hours and an event."""
    snapshot = make_saved_snapshot(as_of=AS_OF.replace(minute=size))
    models = [model(f"m{n}") for n in range(size)]
    for provider in [seller(f"p{n}") for n in range(size)]:
        for sold in models:
            old = Summary.objects.filter(offering__provider=provider, offering__model=sold).first()
            if old is not None:
                old.pk, old.snapshot = None, snapshot
                old.save()
                continue
            offering = make_row(snapshot, provider=provider, model=sold).offering
            make_price(offering)
            make_days(offering)
            make_profile(offering)
            Event.objects.create(
                key=f"{offering.public_id}", kind=Event.Kind.ADDED, offering=offering, at=AS_OF
            )


def model(name: str) -> LanguageModel:
    found = LanguageModel.objects.filter(slug=f"maker/{name}").first()
    return found or make_model(slug=f"maker/{name}", name=name)


def seller(name: str) -> Provider:
    return Provider.objects.filter(slug=name).first() or make_provider(slug=name, name=name)


def queries(client: Client, path: str) -> int:
    client.get(path)
    rows_of_snapshot.cache_clear()
    with CaptureQueriesContext(connection) as asked:
        assert client.get(path).status_code == 200, path
    return len(asked)


def test_no_page_asks_more_often_for_more_rows(client: Client) -> None:
    grow(2)
    serve(model("own"), "box")
    small = {path: queries(client, path) for path in QUERIES}

    grow(5)
    serve(model("own-too"), "bay")
    large = {path: queries(client, path) for path in QUERIES}

    assert Snapshot.objects.count() == 2
    assert large == small
    assert small == QUERIES
