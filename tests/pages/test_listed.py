"""Before anything is measured the catalogue is what is real: who lists what, for how much, and why none is probed."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.catalogue.models import Offering
from tests.factories import make_model, make_offering, make_price, make_provider
from tests.ranking.factories import make_saved_snapshot

from .boards import make_row
from .html import Node, read

pytestmark = pytest.mark.django_db


def get(client: Client, address: str) -> Node:
    response = client.get(address)
    assert response.status_code == 200, address
    return read(response.content)


def list_offering(provider: Any, model: Any, *prices: str | None, **fields: Any) -> Offering:
    """A draft, as an import makes it, with its input and output price; of no price without them."""
    offering = make_offering(
        public_id=f"{provider.slug}~{model.slug.split('/')[1]}",
        provider=provider,
        model=model,
        **{"probe_state": "draft"} | fields,
    )
    if prices:
        make_price(
            offering,
            valid_from=timezone.now() - dt.timedelta(days=1),
            input_usd_per_mtok=prices[0],
            output_usd_per_mtok=prices[1],
        )
    return offering


def listed_cells(page: Node) -> list[list[str]]:
    return [row.cells[:7] for row in page.one("table", data_table="listed").all("tr", data_id=None)]


def test_provider_page_lists_what_it_sells_with_list_prices_cheapest_first(client: Client) -> None:
    acme = make_provider(slug="acme", name="Acme")
    list_offering(acme, make_model(slug="maker/dear", name="Dear"), "2", "6", context_tokens=8192)
    list_offering(acme, make_model(slug="maker/free", name="Free"), "0", "0")
    list_offering(acme, make_model(slug="maker/unknown", name="Unknown"))
    list_offering(acme, make_model(slug="maker/gone"), probe_state="retired", retired_on="2026-07-01")

    page = get(client, "/providers/acme/")

    assert "3 listed, none measured yet." in page.one("section", data_empty=None).text
    assert listed_cells(page) == [
        ["Free", "free", "free", "–", "free", "–", "listed"],
        ["Dear", "2.00", "6.00", "–", "3.00", "8,192", "listed"],
        ["Unknown", "–", "–", "–", "–", "–", "listed"],
    ]


def test_model_page_lists_who_sells_it(client: Client) -> None:
    model = make_model(slug="maker/one", name="One")
    list_offering(make_provider(slug="dear", name="Dear"), model, "2", "6")
    list_offering(make_provider(slug="cheap", name="Cheap"), model, "0.1", "0.5")

    page = get(client, "/models/maker/one/")

    assert "2 listed, none measured yet." in page.text
    assert [cells[:3] for cells in listed_cells(page)] == [
        ["Cheap", "0.10", "0.50"],
        ["Dear", "2.00", "6.00"],
    ]


def test_measured_offerings_are_not_listed_twice(client: Client) -> None:
    acme = make_provider(slug="acme")
    make_row(make_saved_snapshot(), provider=acme, output_speed_tps_p50=100.0)
    list_offering(acme, make_model(slug="maker/other", name="Other"), "1", "1")

    page = get(client, "/providers/acme/")

    assert [cells[0] for cells in listed_cells(page)] == ["Other"]
    assert "1 more listed, not measured." in page.text


def test_lists_say_how_many_are_listed_and_none_measured(client: Client) -> None:
    acme = make_provider(slug="acme", name="Acme")
    for number in range(3):
        list_offering(acme, make_model(slug=f"maker/m{number}"))
    make_provider(slug="bare", name="Bare")

    page = get(client, "/providers/")

    rows = {row.attributes["data-id"]: row.text for row in page.all("tr", data_id=None)}
    assert "3 listed, none measured" in rows["acme"]
    assert "nothing listed" in rows["bare"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"benchmarks_forbidden": True, "terms_note": "See section 4."},
            "its terms forbid benchmarks. See section 4.",
        ),
        ({"opted_out_on": dt.date(2026, 7, 1)}, "it asked on 1 Jul 2026 not to be."),
        ({"paused_reason": "their maintenance"}, "Paused: their maintenance."),
        (
            {
                "capped_until": dt.datetime(2999, 1, 1, tzinfo=dt.UTC),
                "capped_reason": "Paused until 00:00 UTC: the daily cap of 1.00 USD for Acme is reached.",
            },
            "Paused until 00:00 UTC: the daily cap of 1.00 USD for Acme is reached.",
        ),
    ],
    ids=["forbidden", "opted out", "paused", "capped"],
)
def test_why_nothing_is_probed_is_said_on_provider_and_offering(
    client: Client, fields: dict[str, Any], words: str
) -> None:
    offering = make_offering(provider=make_provider(slug="acme", name="Acme", **fields))

    for address in ("/providers/acme/", f"/offerings/{offering.public_id}/"):
        assert words in get(client, address).text


@pytest.mark.parametrize(
    "fields",
    [
        {"paused_reason": "over", "paused_until": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)},
        {"capped_reason": "Paused", "capped_until": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)},
    ],
)
def test_a_pause_that_is_over_is_not_said(client: Client, fields: dict[str, Any]) -> None:
    make_provider(slug="acme", **fields)

    assert get(client, "/providers/acme/").all(data_paused=None) == []


def test_whose_account_pays_and_how_to_reply_are_said(client: Client) -> None:
    make_provider(slug="acme", account_kind="provider_granted")

    page = get(client, "/providers/acme/")

    assert page.one("dd", data_account="provider_granted").text == "granted by the provider"
    links = [a.attributes["href"] for a in page.all("a", href=None)]
    assert "/corrections/?about=/providers/acme/" in links
    assert "/about/#for-providers" in links
