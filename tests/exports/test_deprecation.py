"""What goes away is announced in headers and dictionary; what may not be passed on is refused with a reason."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest
from django.test import Client

from leaderboard.exports import deprecation, live_views, publishing
from leaderboard.exports.api import views
from leaderboard.exports.columns import PROVIDERS, TABLES, Deprecation, Table
from leaderboard.exports.columns import TABLE_BY_NAME as BY_NAME
from leaderboard.exports.descriptions.datapackage import table_schema
from leaderboard.exports.dictionary import table_markdown
from leaderboard.exports.errors import Refusal
from leaderboard.exports.publishing import Scope, write_tables

pytestmark = pytest.mark.django_db

SINCE = dt.datetime(2026, 7, 1, tzinfo=dt.UTC)
GOING = Deprecation(
    since=SINCE,
    sunset=dt.datetime(2027, 7, 1, tzinfo=dt.UTC),
    successor="/data/v2/providers.csv",
    why="split in two",
)


def with_column(table: Table, name: str, **changes: object) -> Table:
    columns = tuple(replace(c, **changes) if c.name == name else c for c in table.columns)  # type: ignore[arg-type]
    return replace(table, columns=columns)


def serve(monkeypatch: pytest.MonkeyPatch, table: Table) -> None:
    monkeypatch.setitem(BY_NAME, table.name, table)
    monkeypatch.setattr(views, "PROVIDERS", table)


@pytest.mark.parametrize("path", ["/data/v1/providers.csv", "/data/v1/providers.json", "/api/v1/providers"])
def test_a_column_that_goes_is_told_in_the_headers_of_every_file_that_has_it(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    serve(monkeypatch, with_column(PROVIDERS, "status_url", deprecated=GOING))

    response = client.get(path)

    assert response["Deprecation"] == "@1782864000"
    assert response["Sunset"] == "Thu, 01 Jul 2027 00:00:00 GMT"
    assert (
        '<http://testserver/data/dictionary/#providers>; rel="deprecation"; type="text/html"'
        in response["Link"]
    )
    assert '<http://testserver/data/v2/providers.csv>; rel="successor-version"' in response["Link"]
    assert "Deprecation" not in client.get("/data/v1/models.csv")


@pytest.mark.parametrize("path", ["/data/v1/providers.csv", "/api/v1/providers"])
def test_an_address_that_goes_is_told_without_an_end_before_one_is_set(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setitem(deprecation.ADDRESSES, path, Deprecation(since=SINCE, why="moved"))

    response = client.head(path) if path.endswith("csv") else client.get(path)

    assert response["Deprecation"] == "@1782864000"
    assert "Sunset" not in response


def test_a_304_tells_it_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = client.get("/data/v1/providers.csv")["ETag"]
    serve(monkeypatch, replace(PROVIDERS, deprecated=GOING))

    response = client.get("/data/v1/providers.csv", headers={"If-None-Match": tag})

    assert (response.status_code, response["Deprecation"]) == (304, "@1782864000")


def test_dictionary_says_until_when_and_what_instead() -> None:
    table = with_column(PROVIDERS, "status_url", deprecated=GOING)

    told = "deprecated since 2026-07-01, goes on 2027-07-01; take /data/v2/providers.csv: split in two"
    assert told in table_markdown(table)


def test_a_farewell_lasts_twelve_months() -> None:
    with pytest.raises(ValueError, match="twelve months"):
        Deprecation(since=SINCE, sunset=SINCE + dt.timedelta(days=300), why="haste")


@pytest.mark.parametrize("path", ["/data/v1/providers.csv", "/data/v1/providers.json", "/api/v1/providers"])
def test_figures_that_may_not_be_passed_on_are_refused_with_the_reason(
    client: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    serve(monkeypatch, with_column(PROVIDERS, "status_url", withheld="licensed to us alone"))

    response = client.get(path)

    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (403, "not_redistributable")
    assert "status_url: licensed to us alone" in error["message"]


def test_an_export_never_holds_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = with_column(PROVIDERS, "status_url", withheld="licensed to us alone")
    monkeypatch.setattr(publishing, "TABLES", (table,))

    with pytest.raises(Refusal, match="licensed to us alone"):
        write_tables(tmp_path, Scope())

    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_column_says_whether_it_may_be_passed_on(table: Table) -> None:
    fields = table_schema(table)["fields"]

    assert isinstance(fields, list)
    assert all(field["redistributable"] is True for field in fields)
    assert live_views.TABLE_BY_NAME[table.name].withheld == ()
