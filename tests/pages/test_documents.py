from __future__ import annotations

import datetime as dt
from xml.etree import ElementTree

import pytest
from django.test import Client

from leaderboard.catalogue.models import Board, Revision
from leaderboard.pages.terms import TERMS
from leaderboard.ranking.models import Event
from probes import exclusions, metrics
from probes.workloads import WORKLOADS
from tests.factories import make_model, make_offering, make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot

from .boards import make_three_models
from .html import Node, read

pytestmark = pytest.mark.django_db

METRICS = (
    "ttft_ms", "ttfat_ms", "thinking_ms", "output_speed_tps", "answer_speed_tps", "inter_token_ms",
    "event_gap_p50_ms", "event_gap_p95_ms", "end_to_end_ms", "response_time_500_ms", "cost_usd",
)  # fmt: skip
OUTCOMES = (
    "rate_limited", "auth", "billing", "not_found", "capability", "bad_request", "blocked", "server_error",
    "timeout", "network", "stream_broken", "empty", "too_large", "ours",
)  # fmt: skip
REASONS = (
    "too_few_tokens", "window_too_short", "buffered_stream", "cache_hit", "wrong_model", "probe_fault",
    "clock_fault", "maintenance", "admin",
)  # fmt: skip


def get(client: Client, address: str) -> Node:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content)


def test_methodology_names_every_metric_outcome_and_reason(client: Client) -> None:
    codes = {code.text for code in get(client, "/methodology/").all("code")}

    assert codes >= {*METRICS, *OUTCOMES, *REASONS}


def test_methodology_has_the_numbers_of_the_code(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "fewer than 32 tokens after the first event" in get(client, "/methodology/").text
    monkeypatch.setattr(metrics, "MIN_TOKENS_AFTER_FIRST", 33)
    monkeypatch.setattr(exclusions, "MAX_LAG_MS", 7.5)

    text = get(client, "/methodology/").text

    assert "fewer than 33 tokens after the first event" in text
    assert "late by more than 7.5 ms" in text


def test_methodology_example_is_what_the_formula_gives(client: Client) -> None:
    modelled = 7400 + metrics.MODELLED_ANSWER_TOKENS * 1000 / 296.47

    assert f"{modelled:,.1f} ms" in get(client, "/methodology/").text


def test_methodology_lists_the_workloads(client: Client) -> None:
    table = get(client, "/methodology/").one("table", data_table="workloads")

    assert [row.attributes["data-id"] for row in table.all("tr", data_id=None)] == list(WORKLOADS)
    assert table.all("tr", data_id="medium")[0].cells[:4] == ["medium", "1", "1,000", "1,500"]


def test_each_version_in_the_data_has_its_page(client: Client) -> None:
    make_saved_snapshot(methodology_version="0.9.0")

    assert "This is an earlier version." in get(client, "/methodology/0.9.0/").text
    assert client.get("/methodology/1.0.0/").status_code == 200
    assert client.get("/methodology/7.0.0/").status_code == 404


def test_every_term_link_leads_to_the_glossary(client: Client) -> None:
    make_three_models()
    anchors = {term.anchor for term in TERMS}

    ids = {div.attributes["id"] for div in get(client, "/glossary/").all("div", id=None)}

    assert ids == anchors
    for address in ("/", "/offerings/"):
        targets = {a.attributes["href"] for a in get(client, address).all("a", class_="term")}
        assert {target.partition("#")[2] for target in targets} <= anchors
        assert targets


def test_corrections_prefill_the_subject_and_stay_listed(client: Client) -> None:
    Board.objects.create(reply_address="desk@example.org")
    Revision.objects.create(
        kind="corrected", subject="price", subject_id="acme~m", field="input_usd_per_mtok",
        old="1", new="0.1", reason="typed per thousand", is_public=True,
    )  # fmt: skip
    Revision.objects.create(
        kind="corrected", subject="price", subject_id="acme~secret", reason="internal", is_public=False
    )

    page = get(client, "/corrections/?about=/offerings/acme~m/")

    mail = page.one("main").all("a")[0].attributes["href"]
    assert mail == "mailto:desk@example.org?subject=Correction%3A%20/offerings/acme~m/"
    assert "typed per thousand" in page.text
    assert "internal" not in page.text


@pytest.mark.parametrize(
    "address", ["/about/", "/api/", "/glossary/", "/corrections/", "/status/", "/changes/"]
)
def test_pages_of_words_work_on_an_empty_board(client: Client, address: str) -> None:
    page = get(client, address)

    assert len(page.all("h1")) == 1


def test_changes_are_grouped_by_day_and_filtered_by_kind(client: Client) -> None:
    offering = make_offering(public_id="acme~m")
    Event.objects.create(key="a", kind="added", at=AS_OF, offering=offering)
    Event.objects.create(key="b", kind="retired", at=AS_OF - dt.timedelta(days=1), offering=offering)

    assert [h.text for h in get(client, "/changes/").all("h2")] == ["15 Jul 2026", "14 Jul 2026"]
    assert [h.text for h in get(client, "/changes/?kind=added").all("h2")] == ["15 Jul 2026"]
    assert client.get("/changes/?kind=nonsense").status_code == 400


def test_search_finds_models_providers_and_offerings(client: Client) -> None:
    provider = make_provider(slug="acme", name="Acme Cloud")
    make_offering(public_id="acme~gpt", provider=provider, model=make_model(slug="maker/gpt", name="GPT OSS"))

    page = get(client, "/search?q=acme")
    assert [h.text for h in page.all("h2")] == ["Providers", "Offerings"]
    assert [h.text for h in get(client, "/search?q=gpt oss").all("h2")] == ["Models", "Offerings"]
    assert get(client, "/search?q=nobody").one(data_empty=None).one("h2").text == "Nothing by that name"


def test_sitemap_holds_only_pages_that_answer(client: Client) -> None:
    make_three_models()

    response = client.get("/sitemap.xml")
    tree = ElementTree.fromstring(response.content)

    places = [loc.text or "" for loc in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert "http://testserver/models/maker/fast/" in places
    for place in places:
        path = place.removeprefix("http://testserver")
        if path.startswith(("/data/", "/self-hosted/")):  # other parts' pages have their own tests
            continue
        assert client.get(path).status_code == 200, place


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("/robots.txt", "Sitemap: http://testserver/sitemap.xml"),
        ("/llms.txt", "# Provider Leaderboard"),
        ("/.well-known/security.txt", "Contact: http://testserver/corrections/"),
    ],
)
def test_machine_files(client: Client, address: str, line: str) -> None:
    response = client.get(address)

    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert line in response.content.decode().splitlines()
