"""The data pages: what a person finds and what dataset search reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from leaderboard.exports.columns import TABLES
from leaderboard.exports.dictionary import DOCUMENT, dictionary_markdown
from leaderboard.exports.pages import script_json
from leaderboard.exports.releases import close_due_days
from tests.exports.rows import AS_OF, any_partition, make_sample, make_snapshot, make_summary
from tests.factories import make_offering


@pytest.fixture(autouse=True)
def _own_data_dir(settings: Settings, tmp_path: Path) -> Iterator[None]:
    settings.DATA_DIR = tmp_path
    with time_machine.travel(AS_OF, tick=False):
        yield


class Links(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (address := dict(attrs).get("href")):
            self.found.append(address)


@pytest.mark.django_db
def test_every_file_the_page_links_to_is_there(client: Client) -> None:
    any_partition()
    offering = make_offering()
    make_summary(make_snapshot(), offering)
    make_sample(offering, scheduled_at=AS_OF.replace(day=13))
    close_due_days(AS_OF)

    page = client.get("/data/").content.decode()

    files = [link for link in Links(page).found if link.startswith("/data/v1/")]
    assert len(files) > 25
    assert [link for link in files if client.get(link).status_code != 200] == []
    assert "samples-2026-07-13.csv.gz" in page
    assert "Provider leaderboard (2026), v1.0.0, as of 15 July 2026" in page


@pytest.mark.django_db
def test_the_page_carries_json_ld_with_absolute_addresses(client: Client) -> None:
    page = client.get("/data/").content.decode()

    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    described = json.loads(text)
    assert described["@type"] == "Dataset"
    assert described["distribution"][0]["contentUrl"] == "http://testserver/data/v1/leaderboard.csv"


def test_json_in_a_script_cannot_close_it() -> None:
    assert script_json({"a": "</script>&"}) == '{"a": "\\u003c/script\\u003e\\u0026"}'


@pytest.mark.django_db
def test_an_empty_board_says_what_will_come(client: Client) -> None:
    assert "None is closed yet" in client.get("/data/").content.decode()
    assert "No month is closed yet" in client.get("/data/snapshots/").content.decode()


@pytest.mark.django_db
def test_the_dictionary_page_has_every_column(client: Client) -> None:
    page = client.get("/data/dictionary/").content.decode()

    for table in TABLES:
        for column in table.columns:
            assert f'id="{table.name}.{column.name}"' in page


@pytest.mark.django_db
def test_pages_cost_few_queries(client: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(3):
        client.get("/data/")


def test_the_written_dictionary_is_not_behind_the_columns() -> None:
    assert DOCUMENT.read_text() == dictionary_markdown(), "run manage.py data_dictionary"
