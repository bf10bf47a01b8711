"""The catalogue's admin, driven as a person drives it: through its own pages."""

from __future__ import annotations

import datetime as dt
import html
import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from leaderboard.catalogue.admin.provider import failing_since
from leaderboard.catalogue.models import Board, HeldPrice, Offering, Price, Provider, Revision
from tests.factories import make_model, make_offering, make_price, make_provider

pytestmark = pytest.mark.django_db

CANARY = "sk-canary-5d1e77b0c3"


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def provider_form(**fields: Any) -> dict[str, Any]:
    return {
        "name": "Alfa",
        "slug": "alfa",
        "kind": "host",
        "protocol": "openai-chat",
        "base_url": "https://api.example.com/v1",
        "account_kind": "standard_paid",
        "daily_cap_usd": "1",
        "first_seen_on": "2026-07-15",
    } | fields


def errors(response: Any) -> list[str]:
    found = re.findall(r'<ul class="errorlist"[^>]*>(.*?)</ul>', response.content.decode(), re.DOTALL)
    return [html.unescape(re.sub("<[^>]+>", "", text)).strip() for text in found]


def test_provider_is_added_with_a_key_that_is_never_shown(client: Client) -> None:
    response = client.post(
        reverse("admin:catalogue_provider_add"), provider_form(api_key=CANARY), follow=True
    )

    provider = Provider.objects.get()
    assert provider.encrypted_api_key
    assert CANARY not in provider.encrypted_api_key
    page = client.get(reverse("admin:catalogue_provider_change", args=[provider.pk])).content.decode()
    today = dt.datetime.now(dt.UTC)
    assert f"Now: set on {today.day} {today:%B}" in page
    listing = client.get(reverse("admin:catalogue_provider_changelist")).content.decode()
    history = client.get(reverse("admin:catalogue_provider_history", args=[provider.pk])).content.decode()
    for text in (response.content.decode(), page, listing, history, repr(provider), repr(vars(provider))):
        assert CANARY not in text
    assert [(r.kind, r.field, r.new) for r in Revision.objects.order_by("id")] == [
        ("added", "", ""),
        ("edited", "api_key", "set"),
    ]


def test_key_is_not_shown_when_another_field_is_wrong(client: Client) -> None:
    response = client.post(
        reverse("admin:catalogue_provider_add"), provider_form(api_key=CANARY, base_url="api.example.com")
    )

    assert CANARY not in response.content.decode()
    assert errors(response) == [
        "Base URL must start with https:// and usually ends in /v1. Did you mean https://api.example.com/v1?"
    ]


def test_saving_without_a_key_keeps_the_stored_one(client: Client) -> None:
    client.post(reverse("admin:catalogue_provider_add"), provider_form(api_key=CANARY))
    provider = Provider.objects.get()
    address = reverse("admin:catalogue_provider_change", args=[provider.pk])
    stored = provider.encrypted_api_key
    inline = {"offerings-TOTAL_FORMS": "0", "offerings-INITIAL_FORMS": "0"}

    client.post(address, provider_form(homepage_url="https://example.com") | inline)

    provider.refresh_from_db()
    assert (provider.encrypted_api_key, provider.homepage_url) == (stored, "https://example.com")
    client.post(address, provider_form(remove_key="on") | inline)
    provider.refresh_from_db()
    assert (provider.encrypted_api_key, provider.api_key_set_at) == ("", None)


def test_address_inside_the_network_is_refused_for_a_public_kind(client: Client) -> None:
    response = client.post(
        reverse("admin:catalogue_provider_add"), provider_form(base_url="http://127.0.0.1:8000/v1")
    )

    assert "This address is inside the network. Choose kind Self-hosted if that is meant." in errors(response)
    client.post(
        reverse("admin:catalogue_provider_add"),
        provider_form(base_url="http://127.0.0.1:8000/v1", kind="self_hosted"),
    )
    assert Provider.objects.get().base_url == "http://127.0.0.1:8000/v1"


def test_provider_of_the_same_name_is_refused(client: Client) -> None:
    make_provider(name="Café GPU")

    response = client.post(
        reverse("admin:catalogue_provider_add"), provider_form(name="CAFE\u0301  gpu", slug="cafe-2")
    )

    assert "There is a provider named CAFÉ gpu already. Open it, or choose another name." in errors(response)


@pytest.mark.parametrize(
    "model", [m for m in admin.site._registry if m._meta.app_label == "catalogue"], ids=lambda m: m.__name__
)
def test_every_list_shows_its_filters_with_counts(client: Client, model: Any) -> None:
    offering = make_offering()
    make_price(offering)
    make_model(name="Other")
    HeldPrice.objects.create(offering=offering, source="litellm", reason="30 times the median")

    page = client.get(reverse(f"admin:catalogue_{model._meta.model_name}_changelist") + "?q=a")

    assert page.status_code == 200
    assert admin.site._registry[model].show_facets is admin.ShowFacets.ALWAYS
    added = client.get(reverse(f"admin:catalogue_{model._meta.model_name}_changelist")).content.decode()
    assert "delete_selected" not in added


def price_rows(*rows: dict[str, str]) -> dict[str, str]:
    posted = {"prices-TOTAL_FORMS": str(len(rows)), "prices-INITIAL_FORMS": "0"}
    for number, row in enumerate(rows):
        defaults = {"currency_original": "USD", "source": "provider_page"}
        posted |= {f"prices-{number}-{name}": value for name, value in (defaults | row).items()}
    return posted


def offering_form(offering: Offering, **fields: str) -> dict[str, str]:
    return {
        "provider_model_name": offering.provider_model_name,
        "hosting": "serverless",
        "quantization": "undisclosed",
        "quantization_source": "undisclosed",
        "interval_s": "10800",
        "workloads": "medium",
    } | fields


def test_prices_are_appended_in_the_grid_and_hold_from_one_instant(client: Client) -> None:
    offering = make_offering(public_id="alfa~m")
    old = make_price(offering)
    address = reverse("admin:catalogue_offering_change", args=[offering.pk])
    page = client.get(address).content.decode()
    assert 'name="prices-0-input_usd_per_mtok"' not in page
    assert 'name="prices-1-input_usd_per_mtok"' in page

    kept = {"id": str(old.pk), "offering": str(offering.pk), "input_usd_per_mtok": "9"}
    rows = price_rows(
        kept,
        {"input_usd_per_mtok": "0.2", "output_usd_per_mtok": "0.8"},
        {"input_usd_per_mtok": "0.4", "output_usd_per_mtok": "1.6", "context_above_tokens": "200000"},
    ) | {"prices-INITIAL_FORMS": "1"}
    response = client.post(address, offering_form(offering) | rows)

    assert errors(response) == []
    added = list(offering.prices.exclude(pk=old.pk))
    assert {price.input_usd_per_mtok for price in added} == {Decimal("0.2"), Decimal("0.4")}
    assert len({price.valid_from for price in added}) == 1
    assert {price.entered_by for price in added} == {"admin"}
    old.refresh_from_db()
    assert old.input_usd_per_mtok == Decimal("0.10")
    assert Revision.objects.filter(subject="price", kind="added", is_public=True).count() == 2


@pytest.mark.parametrize(
    ("amount", "question"),
    [
        ("0.0000008", "0.0000008 looks like dollars per token. Did you mean 0.80 per 1M?"),
        ("30", "30 times the median for this model. Tick to confirm."),
        ("0", "Is it free? Tick “checked” if 0 is meant; leave it empty if the price is unknown."),
    ],
)
def test_doubtful_price_asks_before_it_is_believed(client: Client, amount: str, question: str) -> None:
    offering = make_offering()
    make_price(make_offering(model=offering.model), input_usd_per_mtok="1", output_usd_per_mtok="1")
    address = reverse("admin:catalogue_offering_change", args=[offering.pk])
    row = {"input_usd_per_mtok": amount}

    response = client.post(address, offering_form(offering) | price_rows(row))

    assert question in errors(response)
    assert not offering.prices.exists()
    client.post(address, offering_form(offering) | price_rows(row | {"confirmed": "on"}))
    assert offering.prices.get().input_usd_per_mtok == Decimal(amount)


def test_foreign_price_is_converted_and_keeps_what_was_published(client: Client) -> None:
    offering = make_offering()
    address = reverse("admin:catalogue_offering_change", args=[offering.pk])
    row = {"input_usd_per_mtok": "12", "output_usd_per_mtok": "36", "currency_original": "CNY"}

    response = client.post(address, offering_form(offering) | price_rows(row))
    assert "Prices in CNY need the rate to USD; without one they stay unknown." in errors(response)
    client.post(address, offering_form(offering) | price_rows(row | {"fx_rate_to_usd": "0.14812"}))

    price = offering.prices.get()
    assert (price.input_usd_per_mtok, price.fx_rate_to_usd) == (Decimal("1.77744"), Decimal("0.14812"))
    assert price.note == "Published as 12, 36 CNY per 1M."


def test_written_price_is_corrected_only_with_a_reason(client: Client) -> None:
    price = make_price(make_offering(public_id="alfa~m"))
    address = reverse("admin:catalogue_price_change", args=[price.pk])
    form = {
        "input_usd_per_mtok": "0.15",
        "output_usd_per_mtok": "0.4",
        "currency_original": "USD",
        "source": "provider_page",
    }

    assert "This field is required." in errors(client.post(address, form))
    client.post(address, form | {"reason": "Typed the batch price"})

    price.refresh_from_db()
    assert price.input_usd_per_mtok == Decimal("0.15")
    revision = Revision.objects.get(kind="corrected")
    assert (revision.subject_id, revision.field, revision.old, revision.new, revision.reason) == (
        "alfa~m",
        "input_usd_per_mtok",
        "0.10000000",
        "0.15",
        "Typed the batch price",
    )
    assert client.post(reverse("admin:catalogue_price_delete", args=[price.pk])).status_code == 403


def act(client: Client, action: str, *rows: Offering | Provider, **answers: str) -> Any:
    name = rows[0]._meta.model_name
    chosen = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(reverse(f"admin:catalogue_{name}_changelist"), chosen | answers, follow=True)


def test_action_asks_with_the_count_and_a_reason_first(client: Client) -> None:
    first, second = make_offering(), make_offering()

    asked = act(client, "retire", first, second)
    assert b"Retire: 2 rows." in asked.content
    assert Offering.objects.filter(probe_state="retired").count() == 0
    assert "This field is required." in errors(act(client, "retire", first, second, confirmed="Retire"))
    act(client, "retire", first, second, confirmed="Retire", reason="No longer sold")

    assert Offering.objects.filter(probe_state="retired", retired_reason="No longer sold").count() == 2
    assert Revision.objects.filter(kind="retired", old="active", new="retired").count() == 2


def test_paused_offering_resumes_to_what_it_was(client: Client) -> None:
    offering = make_offering(probe_state="draft")

    act(client, "publish", offering, confirmed="Publish")
    act(client, "pause", offering, confirmed="Pause", reason="Quota used up", until="2026-07-31 00:00")
    offering.refresh_from_db()
    assert (offering.probe_state, offering.paused_reason) == ("paused", "Quota used up")
    act(client, "resume", offering, confirmed="Resume")

    offering.refresh_from_db()
    assert (offering.probe_state, offering.paused_reason, offering.paused_until) == ("active", "", None)


def test_offering_measured_once_cannot_be_deleted(client: Client) -> None:
    measured = make_offering(first_probed_on=dt.date(2026, 7, 1))
    fresh = make_offering(public_id="fresh")

    refused = client.post(reverse("admin:catalogue_offering_delete", args=[measured.pk]), {"post": "yes"})
    deleted = client.post(reverse("admin:catalogue_offering_delete", args=[fresh.pk]), {"post": "yes"})

    assert (refused.status_code, deleted.status_code) == (403, 302)
    assert list(Offering.objects.all()) == [measured]


def test_second_offering_of_the_pair_says_which_is_there(client: Client) -> None:
    known = make_offering(
        provider=make_provider(name="Clarifai"), first_probed_on=dt.date(2026, 7, 1), probe_state="active"
    )
    form = offering_form(known, provider=str(known.provider_id), model=str(known.model_id))

    response = client.post(reverse("admin:catalogue_offering_add"), form | price_rows())

    assert "Clarifai already serves this model (active since 1 July). Open it, or add a variant." in errors(
        response
    )
    client.post(reverse("admin:catalogue_offering_add"), form | price_rows() | {"variant": "Fast"})
    assert Offering.objects.latest("pk").public_id.endswith("~fast")


def test_editor_cannot_approve_with_two_person_review_on(client: Client) -> None:
    Board.objects.create(two_person_review=True)
    offering = make_offering(probe_state="draft")
    address = reverse("admin:catalogue_offering_change", args=[offering.pk])
    client.post(address, offering_form(offering, interval_s="3600") | price_rows())

    refused = act(client, "publish", offering, confirmed="Publish")

    assert b"You edited this last; someone else must approve." in refused.content
    offering.refresh_from_db()
    assert offering.probe_state == "draft"


def test_forbidden_provider_is_never_published(client: Client) -> None:
    offering = make_offering(provider=make_provider(benchmarks_forbidden=True), probe_state="draft")

    refused = act(client, "publish", offering, confirmed="Publish")

    assert b"Its terms forbid benchmarks, so it is listed and never probed." in refused.content


def test_held_price_is_believed_by_a_persons_word(client: Client) -> None:
    held = HeldPrice.objects.create(
        offering=make_offering(), source="litellm", reason="40 times the median", input_usd_per_mtok="40"
    )

    client.post(
        reverse("admin:catalogue_heldprice_changelist"),
        {"action": "believe", "_selected_action": [held.pk], "confirmed": "yes"},
    )

    held.refresh_from_db()
    assert held.resolution == "believed"
    assert Price.objects.get().input_usd_per_mtok == 40


def test_admin_pages_hold_no_inline_script_or_style(client: Client) -> None:
    offering = make_offering()
    pages = [
        reverse("admin:index"),
        reverse("admin:catalogue_offering_changelist"),
        reverse("admin:catalogue_offering_change", args=[offering.pk]),
        reverse("admin:catalogue_provider_change", args=[offering.provider_id]),
        reverse("admin:catalogue_price_add"),
    ]

    for page in pages:
        text = client.get(page).content.decode()
        assert not re.search(r"<script(?![^>]*\b(src|type=\"application/json\"))", text), page
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=\"", text), page


@pytest.mark.parametrize(
    ("good_hours_ago", "interval_s", "since"),
    [(7, 10_800, True), (5, 10_800, False), (7, None, False)],
    ids=["two intervals missed", "one missed", "nothing is probed"],
)
def test_provider_fails_since_its_last_good_sample(
    good_hours_ago: int, interval_s: int | None, since: bool
) -> None:
    now = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)
    last_good = now - dt.timedelta(hours=good_hours_ago)

    found = failing_since(last_good, first_probed=now.date(), interval_s=interval_s, now=now)

    assert found == (last_good if since else None)


def test_provider_that_never_answered_fails_since_its_first_day(client: Client) -> None:
    day = dt.date(2026, 7, 1)
    make_offering(provider=make_provider(name="Alfa"), first_probed_on=day)
    make_offering(provider=make_provider(name="Beta"), first_probed_on=day, probe_state="draft")

    page = client.get(reverse("admin:catalogue_provider_changelist")).content.decode()

    assert re.findall(r'class="field-failing_since[^"]*">([^<]*)<', page) == ["1 Jul 2026", "-"]
