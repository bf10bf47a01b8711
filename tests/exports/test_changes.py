"""Events as a file and as feeds with stable ids."""

from __future__ import annotations

import csv
import datetime as dt
import io
from xml.etree import ElementTree

import pytest
from django.test import Client

from leaderboard.charts.svg import SVG
from leaderboard.exports.changes import sentence
from leaderboard.exports.columns.changes import CHANGES, KINDS
from leaderboard.ranking.models import Event
from tests.exports.rows import AS_OF
from tests.factories import make_model, make_offering, make_provider

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def event() -> Event:
    make_event_of("bravo~x", provider="bravo", model="maker/x", at=AS_OF - dt.timedelta(days=2), kind="added")
    return make_event_of(
        "alfa~qwen3-0.6b",
        provider="alfa",
        model="qwen/qwen3-0.6b",
        kind="speed",
        column="output_speed_tps_p50",
        before="530.1234",
        after="328.7",
        change=-0.38,
        workload="medium",
    )


def make_event_of(offering_id: str, *, provider: str, model: str, **given: object) -> Event:
    offering = make_offering(
        public_id=offering_id, provider=make_provider(slug=provider), model=make_model(slug=model)
    )
    values: dict[str, object] = {"key": f"{given['kind']}:{offering_id}", "at": AS_OF, "found_at": AS_OF}
    return Event.objects.create(offering=offering, **values | given)


def entries(client: Client, path: str) -> list[ElementTree.Element]:
    response = client.get(path)
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(response.content).findall(f"{ATOM}entry")


@pytest.mark.usefixtures("event")
def test_the_file_has_every_event_newest_first(client: Client) -> None:
    rows = list(csv.DictReader(io.StringIO(client.get("/changes.csv").content.decode(), newline="")))

    assert list(rows[0]) == list(CHANGES.column_names)
    assert [row["kind"] for row in rows] == ["speed", "added"]
    assert (rows[0]["offering_id"], rows[0]["model_id"]) == ("alfa~qwen3-0.6b", "qwen/qwen3-0.6b")
    assert (rows[0]["before"], rows[0]["after"], rows[0]["change"]) == ("530.1234", "328.7", "-0.38")


def test_an_event_in_words(event: Event) -> None:
    assert sentence(event) == (
        "alfa~qwen3-0.6b: Output speed fell 38 % from 530.1234 to 328.7 tokens/s, 15 July 2026 12:00 UTC"
    )
    event.simulated = True
    assert sentence(event).endswith("(simulated)")


@pytest.mark.usefixtures("event")
@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("/changes.atom", 2),
        ("/models/qwen/qwen3-0.6b.atom", 1),
        ("/providers/bravo.atom", 1),
        ("/offerings/alfa~qwen3-0.6b.atom", 1),
    ],
)
def test_feeds_hold_their_own_events(client: Client, path: str, count: int) -> None:
    assert len(entries(client, path)) == count


@pytest.mark.usefixtures("event")
def test_ids_stay_the_same_and_links_lead_to_the_offering(client: Client) -> None:
    (first, _), (again, _) = entries(client, "/changes.atom"), entries(client, "/changes.atom?x=1")

    assert first.findtext(f"{ATOM}id") == "tag:testserver,2026:event:speed:alfa~qwen3-0.6b"
    assert first.findtext(f"{ATOM}id") == again.findtext(f"{ATOM}id")
    link = first.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == "http://testserver/offerings/alfa~qwen3-0.6b/"


def test_an_empty_feed_is_still_a_feed(client: Client) -> None:
    assert entries(client, "/changes.atom") == []
    assert client.get("/providers/zulu.atom").status_code == 404


def test_kinds_are_those_that_are_stored() -> None:
    assert set(KINDS) == set(Event.Kind.values)


@pytest.mark.usefixtures("event")
def test_a_new_event_changes_the_etag(client: Client) -> None:
    before = client.get("/changes.atom")["ETag"]
    Event.objects.create(key="method:1", kind="method", at=AS_OF)

    assert client.get("/changes.atom")["ETag"] != before


def test_a_feed_leaves_the_charts_their_prefix(client: Client) -> None:
    client.get("/changes.atom")

    drawn = ElementTree.tostring(ElementTree.fromstring(f'<svg xmlns="{SVG}"/>'))

    assert drawn.startswith(b"<svg ")
