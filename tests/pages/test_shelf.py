from __future__ import annotations

import gzip
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import DjangoAssertNumQueries

from leaderboard.pages import shelf
from leaderboard.pages.requests import page
from tests.factories import make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot

from .boards import make_three_models

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "KEPT_FOR_S", 5.0)
    monkeypatch.setattr(shelf, "NEWEST_FOR_S", 1.0)


def pass_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    later = time.monotonic() + seconds
    monkeypatch.setattr(shelf, "time", SimpleNamespace(monotonic=lambda: later))


def test_second_reader_costs_no_query(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_three_models()
    first = client.get("/")

    with django_assert_num_queries(0):
        second = client.get("/")
        third = client.get("/", headers={"if-none-match": first["ETag"]})

    assert second.content == first.content
    assert third.status_code == 304


def test_newest_snapshot_is_asked_for_once_a_second(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_three_models()
    client.get("/")

    pass_time(monkeypatch, 1.0)

    with django_assert_num_queries(1):
        client.get("/")


def test_first_snapshot_is_not_waited_for(client: Client) -> None:
    assert client.get("/").status_code == 200

    make_three_models()

    assert b"Acme" in client.get("/").content


def test_page_wanted_by_many_is_made_once(rf: RequestFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "key_of", lambda request: ("http", "localhost", request.path, 1))
    calls: list[str] = []
    began, go_on = Event(), Event()

    def view(request: HttpRequest) -> HttpResponse:
        calls.append(request.path)
        began.set()
        assert go_on.wait(10)
        return HttpResponse("made")

    read = page(view)
    with ThreadPoolExecutor(3) as readers:
        first = readers.submit(read, rf.get("/wanted/"))
        assert began.wait(10)
        others = [readers.submit(read, rf.get("/wanted/")) for _ in range(2)]
        go_on.set()
        answers = [answer.result(10).content for answer in (first, *others)]

    assert answers == [b"made"] * 3
    assert calls == ["/wanted/"]


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


def test_new_snapshot_is_a_new_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_three_models()
    before = client.get("/")["ETag"]

    make_saved_snapshot(as_of=AS_OF.replace(hour=13))
    pass_time(monkeypatch, shelf.NEWEST_FOR_S)

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

    pass_time(monkeypatch, shelf.KEPT_FOR_S)

    assert b"Latecomer" in client.get("/providers/").content


def test_shelf_holds_so_many_bytes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_three_models()
    client.get("/search?q=x0")
    (size,) = (len(page.compressed) for page in shelf.kept.values())
    monkeypatch.setattr(shelf, "MOST_BYTES", int(2.5 * size))

    for number in range(1, 4):
        client.get(f"/search?q=x{number}")

    assert [path for _, _, path, _ in shelf.kept] == ["/search?q=x2", "/search?q=x3"]


def test_old_pages_are_taken_down(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_three_models()
    client.get("/search?q=old")

    pass_time(monkeypatch, shelf.KEPT_FOR_S)
    client.get("/search?q=new")

    assert [path for _, _, path, _ in shelf.kept] == ["/search?q=new"]


def test_errors_are_not_kept(client: Client) -> None:
    make_three_models()

    client.get("/models/no/such/")
    client.get("/?window=99h")

    assert len(shelf.kept) == 0
