from __future__ import annotations

import gzip
import time
from types import SimpleNamespace

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.pages import shelf
from tests.factories import make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot

from .boards import make_three_models

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "KEPT_FOR_S", 5.0)
    shelf.kept.clear()


def test_second_reader_costs_one_query(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_three_models()
    first = client.get("/")

    with django_assert_num_queries(1):
        second = client.get("/")

    assert second.content == first.content


def test_reader_who_has_the_page_gets_304(client: Client) -> None:
    make_three_models()
    etag = client.get("/")["ETag"]

    again = client.get("/", headers={"if-none-match": etag})

    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == etag


def test_page_is_compressed_for_who_can_read_it(client: Client) -> None:
    make_three_models()
    plain = client.get("/")

    packed = client.get("/", headers={"accept-encoding": "gzip, br"})

    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert "Accept-Encoding" in packed["Vary"]
    assert not plain.has_header("Content-Encoding")


def test_new_snapshot_is_a_new_page(client: Client) -> None:
    make_three_models()
    before = client.get("/")["ETag"]

    make_saved_snapshot(as_of=AS_OF.replace(hour=13))

    assert client.get("/")["ETag"] != before


def test_other_host_and_query_are_other_pages(client: Client) -> None:
    make_three_models()
    client.get("/offerings/")

    assert b"http://localhost" in client.get("/", headers={"host": "localhost"}).content
    assert client.get("/offerings/?weights=proprietary").content != client.get("/offerings/").content


def test_page_grows_old(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_three_models()
    client.get("/providers/")
    make_provider(slug="late", name="Latecomer")
    assert b"Latecomer" not in client.get("/providers/").content

    later = time.monotonic() + shelf.KEPT_FOR_S
    monkeypatch.setattr(shelf, "time", SimpleNamespace(monotonic=lambda: later))

    assert b"Latecomer" in client.get("/providers/").content


def test_shelf_has_an_end(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_three_models()
    monkeypatch.setattr(shelf, "MOST_PAGES", 2)

    for number in range(4):
        client.get(f"/search?q=x{number}")

    assert len(shelf.kept) == 2


def test_errors_are_not_kept(client: Client) -> None:
    make_three_models()

    client.get("/models/no/such/")
    client.get("/?window=99h")

    assert len(shelf.kept) == 0
