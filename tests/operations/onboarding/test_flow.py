"""The flow through its own pages, against the scripted lab."""

from __future__ import annotations

import datetime as dt
import html
import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from leaderboard.catalogue.credentials import key_for
from leaderboard.catalogue.models import Board, LanguageModel, Offering, Provider, Revision
from leaderboard.measurements.models import Slot
from leaderboard.measurements.planning import plan_now
from leaderboard.operations.onboarding import finishing
from probes.lab.server import Lab
from tests.factories import make_model, make_offering, make_price, make_provider

pytestmark = pytest.mark.django_db

CANARY = "sk-canary-77aa01c94e"
ADD = "/admin/add-provider/"


def draft(lab: Lab | None = None, **fields: str) -> dict[str, str]:
    return {
        "preset": "openai",
        "name": "Alfa",
        "base_url": lab.url if lab else "https://api.example.com/v1",
        "api_key": CANARY,
    } | fields


def text_of(response: Any) -> str:
    body = response.getvalue() if isinstance(response, StreamingHttpResponse) else response.content
    return str(html.unescape(body.decode()))


def lines_of(response: Any) -> list[str]:
    return [
        re.sub("<[^>]+>", "", line).strip()
        for line in re.findall(r"<li class=\"line-.*?</li>", text_of(response))
    ]


def test_flow_needs_someone_signed_in_with_the_right() -> None:
    anonymous = Client().get(ADD)
    viewer = Client()
    viewer.force_login(User.objects.create_user("vic", is_staff=True))

    assert anonymous.status_code == 302
    assert viewer.get(ADD).status_code == 403


def test_good_address_passes_line_by_line(client: Client, lab: Lab) -> None:
    response = client.post(ADD, draft(lab, test_model="steady-tps2000-ttft20", test="Test connection"))

    lines = lines_of(response)
    assert lines[0].startswith("✓ Address of 127.0.0.1 resolved")
    assert lines[1] == "– No TLS: the address begins with http://."
    assert lines[2] == "✓ The server answered over HTTP (200)."
    assert lines[3] == "✓ Key accepted."
    assert re.fullmatch(r"✓ \d+ models listed\.", lines[4])
    assert lines[5] == "– Tried steady-tps2000-ttft20 with one small call."
    assert re.fullmatch(r"✓ Streams: \d+ chunks\.", lines[6])
    assert re.fullmatch(r"✓ First token after \d+ ms\.", lines[7])
    assert re.fullmatch(r"✓ Usage numbers present: \d+ in, 256 out\.", lines[8])
    assert re.fullmatch(r"✓ Speed \d+ tokens/s \(one sample, not published\)\.", lines[9])
    assert re.fullmatch(r"– This test used \d+ tokens, price unknown\.", lines[10])
    assert not Provider.objects.exists()


def test_test_page_never_holds_the_key_and_still_keeps_it(client: Client, lab: Lab) -> None:
    tested = text_of(client.post(ADD, draft(lab, test_model="steady-tps2000", test="Test connection")))

    assert CANARY not in tested
    kept = re.search(r'name="kept_key" value="([^"]+)"', tested)
    assert kept is not None
    client.post(ADD, draft(lab, api_key="", kept_key=kept[1], save="Save and choose models"))
    assert key_for(Provider.objects.get(), {}) == CANARY


def test_kept_key_opens_for_nobody_else(client: Client, lab: Lab) -> None:
    tested = text_of(client.post(ADD, draft(lab, test_model="steady-tps2000", test="Test connection")))
    kept = re.search(r'name="kept_key" value="([^"]+)"', tested)
    assert kept is not None
    other = Client()
    other.force_login(User.objects.create_superuser("bob"))

    other.post(ADD, draft(lab, api_key="", kept_key=kept[1], save="Save and choose models"))

    assert key_for(Provider.objects.get(), {}) is None


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"base_url": "http://127.0.0.1:9/v1"}, "✗ Could not connect: nothing answers on port 9."),
        ({"test_model": "http401-plain"}, "✗ The provider answered, but not to this key (401)."),
        ({"test_model": "http429-plain"}, "✗ Key accepted, but the account is out of quota or credit (429)."),
        ({"test_model": "whole"}, "✗ The reply came in one piece. First-token time cannot be measured;"),
        (
            {"test_model": "nousage-tps2000"},
            "✗ The provider does not report token counts. We will count with",
        ),
        ({"test_model": "onechunk"}, "of the tokens came in one chunk: something on the way buffers."),
    ],
)
def test_what_goes_wrong_has_its_own_sentence(
    client: Client, lab: Lab, fields: dict[str, str], line: str
) -> None:
    lines = lines_of(client.post(ADD, draft(lab, **fields) | {"test": "Test connection"}))

    assert any(line in said for said in lines), lines


def test_name_that_does_not_resolve_is_named(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nowhere(*args: object, **kwargs: object) -> list[object]:
        raise OSError("no such name")

    monkeypatch.setattr("asyncio.base_events.BaseEventLoop.getaddrinfo", nowhere)

    lines = lines_of(client.post(ADD, draft(base_url="https://api.exmaple.com/v1", test="Test connection")))

    assert lines == ["✗ Could not connect: name not found for api.exmaple.com."]


def test_wrong_address_is_answered_in_its_field(client: Client) -> None:
    response = client.post(ADD, draft(base_url="api.example.com", test="Test connection"))

    assert (
        "Base URL must start with https:// and usually ends in /v1. Did you mean https://api.example.com/v1?"
        in text_of(response)
    )
    assert CANARY not in text_of(response)


def test_public_kind_may_not_point_inside(client: Client, lab: Lab) -> None:
    refused = client.post(ADD, draft(lab, kind="host", test="Test connection"))
    told_by_address = client.post(ADD, draft(lab, save="Save and choose models"))

    assert "This address is inside the network. Choose kind Self-hosted if that is meant." in text_of(refused)
    assert told_by_address.status_code == 302
    assert Provider.objects.get().kind == "self_hosted"


def test_sixth_test_within_a_minute_has_to_wait(client: Client) -> None:
    form = draft(base_url="http://127.0.0.1:9/v1", test="Test connection")
    for _ in range(5):
        assert "Could not connect" in text_of(client.post(ADD, form))

    assert lines_of(client.post(ADD, form)) == ["✗ 5 tests a minute are enough for now. Wait a little."]


def saved(client: Client, lab: Lab, **fields: str) -> str:
    response = client.post(ADD, draft(lab, save="Save and choose models", **fields))
    assert response.status_code == 302, text_of(response)
    return str(response["Location"])


def test_models_are_matched_and_nothing_is_guessed(client: Client, lab: Lab) -> None:
    make_model(slug="maker/plain-model", aliases=["plain"])

    page = text_of(client.get(saved(client, lab)))

    assert "Select matched models" in page
    assert re.search(r'name="ours-\d+" value="maker/plain-model"', page)
    assert "by alias" in page
    assert "unknown" in page


def choose(client: Client, where: str, *choices: tuple[str, str], **fields: str) -> Any:
    form: dict[str, Any] = {
        "listed": [name for name, _ in choices],
        "choose": [str(n) for n in range(len(choices))],
    }
    form |= {f"ours-{number}": slug for number, (_, slug) in enumerate(choices)}
    return client.post(where, form | fields)


def digest_of(response: Any) -> str:
    found = re.search(r'name="digest" value="([0-9a-f]{16})"', text_of(response))
    assert found is not None
    return found[1]


def test_preview_writes_nothing_and_create_does_what_it_showed(client: Client, lab: Lab) -> None:
    where = saved(client, lab)
    picks = (("steady-tps2000", "maker/steady"), ("odd", ""), ("openai/gpt-oss-120b", "openai/gpt-oss-120b"))

    shown = choose(client, where, *picks, preview="Preview")

    assert "Will create 2 offerings, change 0, skip 1" in text_of(shown)
    assert "Give it a name of ours (maker/model) or leave it out." in text_of(shown)
    assert not Offering.objects.exists()
    assert not LanguageModel.objects.exists()
    done = choose(client, where, *picks, create="Create", digest=digest_of(shown))
    assert done["Location"] == "/admin/add-provider/alfa/"
    assert set(
        Offering.objects.values_list("public_id", "provider_model_name", "probe_state", "hosting")
    ) == {
        ("alfa~steady", "steady-tps2000", "draft", "self_hosted"),
        ("alfa~gpt-oss-120b", "openai/gpt-oss-120b", "draft", "self_hosted"),
    }
    assert LanguageModel.objects.get(slug="maker/steady").aliases == ["steady-tps2000"]


def test_outdated_preview_is_refused(client: Client, lab: Lab) -> None:
    where = saved(client, lab)
    shown = choose(client, where, ("plain", "maker/plain"), preview="Preview")
    make_price(make_offering(provider=Provider.objects.get(), public_id="alfa~other"))

    refused = choose(client, where, ("plain", "maker/plain"), create="Create", digest=digest_of(shown))

    assert "The catalogue changed since this preview. Preview again." in text_of(refused)
    assert Offering.objects.count() == 1


def test_listed_provider_is_taken_up_with_its_drafts(client: Client, lab: Lab) -> None:
    listed = make_provider(name="Alfa", slug="alfa", base_url="")
    model = make_model(slug="openai/gpt-oss-120b")
    offering = make_offering(provider=listed, model=model, public_id="alfa~gpt-oss-120b", probe_state="draft")
    where = saved(client, lab)

    shown = choose(client, where, ("gpt-oss-120b", "openai/gpt-oss-120b"), preview="Preview")
    choose(client, where, ("gpt-oss-120b", "openai/gpt-oss-120b"), create="Create", digest=digest_of(shown))

    assert "Will create 0 offerings, change 1, skip 0" in text_of(shown)
    assert Provider.objects.get().base_url == lab.url
    offering.refresh_from_db()
    assert offering.provider_model_name == "gpt-oss-120b"


def created(client: Client, lab: Lab) -> Offering:
    where = saved(client, lab)
    pick = ("steady-tps2000-n40", "maker/steady")
    shown = choose(client, where, pick, preview="Preview")
    choose(client, where, pick, create="Create", digest=digest_of(shown))
    return Offering.objects.get()


def test_prices_are_saved_from_the_grid_with_their_guards(client: Client, lab: Lab) -> None:
    offering = created(client, lab)
    where = reverse("onboarding:prices", args=["alfa"])
    row = f"price-{offering.pk}-"

    asked = client.post(where, {f"{row}input_usd_per_mtok": "0.0000008"})
    client.post(where, {f"{row}input_usd_per_mtok": "0.8", f"{row}output_usd_per_mtok": "1.6"})

    assert "0.0000008 looks like dollars per token. Did you mean 0.80 per 1M?" in text_of(asked)
    price = offering.prices.get()
    assert (price.input_usd_per_mtok, price.source, price.entered_by) == (
        Decimal("0.8"),
        "provider_page",
        "admin",
    )
    page = text_of(client.get(reverse("onboarding:finish", args=["alfa"])))
    assert "Forecast once active: 0.0256 USD a day" in page


def test_three_probes_are_asked_for_once_a_minute(
    client: Client, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    offering = created(client, lab)
    sent: list[Slot] = []
    monkeypatch.setattr(finishing, "send", sent.extend)

    for _ in range(2):
        client.post(reverse("onboarding:probe", args=["alfa"]), {"offering": [offering.pk]})

    page = text_of(client.get(reverse("onboarding:finish", args=["alfa"])))
    assert "0 of 3 samples" in page
    assert '<meta http-equiv="refresh" content="2">' in page
    assert len({(slot.offering_id, slot.scheduled_at) for slot in sent}) == len(sent)


@pytest.mark.parametrize(
    ("seen_minutes_ago", "sentence"),
    [
        (None, "Saved. Probes are not running: the scheduler was never seen."),
        (14, "Saved. Probes are not running: the scheduler was last seen 14 minutes ago."),
        (
            0,
            "Saved. The broker did not answer just now; the scheduler runs and sends the probes in a moment.",
        ),
    ],
)
def test_broker_that_is_away_is_said(
    client: Client, lab: Lab, monkeypatch: pytest.MonkeyPatch, seen_minutes_ago: int | None, sentence: str
) -> None:
    offering = created(client, lab)
    if seen_minutes_ago is not None:
        at = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=seen_minutes_ago, seconds=5)
        (slot,) = plan_now([offering], now=at)
        Slot.objects.filter(pk=slot.pk).update(manual=False, queued_at=at)

    def away(slots: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(finishing, "send", away)

    response = client.post(
        reverse("onboarding:probe", args=["alfa"]), {"offering": [offering.pk]}, follow=True
    )

    assert sentence in text_of(response)


def test_publish_makes_it_active_and_links_to_the_board(client: Client, lab: Lab) -> None:
    offering = created(client, lab)

    response = client.post(
        reverse("onboarding:publish", args=["alfa"]), {"offering": [offering.pk]}, follow=True
    )

    offering.refresh_from_db()
    assert (offering.probe_state, offering.self_approved) == ("active", True)
    assert '<a href="/offerings/alfa~steady/">' in text_of(response)
    assert Revision.objects.get(kind="published").reason == "self-approved"


def test_with_two_persons_the_editor_asks_and_another_publishes(client: Client, lab: Lab) -> None:
    Board.objects.create(two_person_review=True)
    offering = created(client, lab)
    where = reverse("onboarding:publish", args=["alfa"])
    other = Client()
    other.force_login(User.objects.create_superuser("bob"))

    client.post(where, {"offering": [offering.pk], "review": "Ask for review"})
    own = client.post(where, {"offering": [offering.pk]}, follow=True)
    offering.refresh_from_db()
    assert offering.probe_state == "pending_review"
    assert "You edited this last; someone else must approve." in text_of(own)
    other.post(where, {"offering": [offering.pk], "note": "Checked the price page"})

    offering.refresh_from_db()
    offering.refresh_from_db()
    assert (offering.probe_state, str(offering.approved_by), offering.self_approved) == (
        "active",
        "bob",
        False,
    )


def test_saved_provider_is_tested_again_without_typing_the_key(client: Client, lab: Lab) -> None:
    created(client, lab)

    response = client.post(reverse("onboarding:test", args=["alfa"]), {"test": "Test connection"})

    assert any("First token after" in line for line in lines_of(response))
    provider = Provider.objects.get()
    assert provider.last_tested_at is not None
    assert [True, "Key accepted."] in provider.last_test
    page = text_of(client.get(reverse("onboarding:test", args=["alfa"])))
    assert "First token after" in page
    assert CANARY not in page + str(provider.last_test)


def test_admin_home_leads_into_the_flow(client: Client) -> None:
    page = text_of(client.get(reverse("admin:index")))

    assert '<a class="admin-add-provider" href="/admin/add-provider/">Add a provider</a>' in page
