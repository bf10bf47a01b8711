"""What a fresh board offers to measure, and that one click, or `--measure`, begins it: nothing else does."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from leaderboard.catalogue.engines.detecting import LocalEngine
from leaderboard.catalogue.engines.facts import EngineFacts
from leaderboard.catalogue.models import Offering, Provider, Revision
from leaderboard.operations import local_engines
from leaderboard.operations.environment import EnvironmentProblem
from leaderboard.operations.measure import begin_measuring
from leaderboard.operations.offers import engine_offers, key_offers
from tests.factories import make_model, make_offering, make_price, make_provider

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2026, 3, 4, 12, 0, tzinfo=dt.UTC)
VARIABLE = "ACME_API_KEY"
OLLAMA = LocalEngine(
    "http://127.0.0.1:11434/v1",
    EngineFacts(engine="ollama", models=("openai/gpt-oss-20b", "/srv/weights/mine"), max_model_len=8192),
)


@pytest.fixture(autouse=True)
def plain_static_files(settings: Settings) -> None:
    backend = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": backend}


@pytest.fixture(autouse=True)
def engines(monkeypatch: pytest.MonkeyPatch) -> list[LocalEngine]:
    """What listens on loopback; nothing unless a test says so."""
    found: list[LocalEngine] = []
    monkeypatch.setattr(local_engines, "detect_local_engines", lambda ports, *, leave_out=(): found)
    return found


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def make_listed_provider(monkeypatch: pytest.MonkeyPatch) -> Provider:
    """Acme, whose key is in the environment: one draft of 0.15 USD a day."""
    monkeypatch.setenv(VARIABLE, "sk-canary-0c7d")
    provider = make_provider(slug="acme", name="Acme", api_key_env=VARIABLE)
    draft = make_offering(provider=provider, probe_state="draft", interval_s=86_400)
    make_price(
        draft, valid_from=NOW - dt.timedelta(days=1), input_usd_per_mtok="0", output_usd_per_mtok="100"
    )
    return provider


def test_provider_with_its_key_in_the_environment_is_offered_with_the_forecast(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_listed_provider(monkeypatch)

    (offer,) = key_offers(NOW)

    assert offer.usd_per_day == Decimal("0.15")
    assert offer.sentence == (
        "Acme (key in ACME_API_KEY): 1 offering, at most 0.15 USD a day by forecast, capped at 1.00 USD"
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"benchmarks_forbidden": True},
        {"retired_on": dt.date(2026, 1, 1)},
        {"simulated": True},
        {"api_key_env": "ANOTHER_API_KEY"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_provider_that_may_or_can_not_be_probed_is_not_offered(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, object]
) -> None:
    monkeypatch.delenv("ANOTHER_API_KEY", raising=False)
    provider = make_listed_provider(monkeypatch)
    Provider.objects.filter(pk=provider.pk).update(**fields)

    assert key_offers(NOW) == []


def test_offer_is_gone_once_something_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    make_offering(provider=make_listed_provider(monkeypatch), probe_state="active")

    assert key_offers(NOW) == []


def test_admin_home_shows_the_offer_and_one_click_begins(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_listed_provider(monkeypatch)
    home = client.get("/admin/").content.decode()

    page = client.post("/admin/measure/", {"slug": "acme"}, follow=True).content.decode()

    assert "at most 0.15 USD a day by forecast, capped at 1.00 USD" in home
    assert ">Measure Acme<" in home
    assert "Measuring acme: 1 offerings, at most 0.15 USD a day by forecast" in page
    assert "sk-canary-0c7d" not in home + page
    assert ">Measure Acme<" not in page
    offering = Offering.objects.get()
    assert (offering.probe_state, offering.approved_by) == ("active", User.objects.get())


def test_looking_begins_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_listed_provider(monkeypatch)

    client.get("/admin/")
    refused = client.get("/admin/measure/")

    assert refused.status_code == 405
    assert Offering.objects.get().probe_state == "draft"


def test_only_who_may_publish_and_probe_may_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    make_listed_provider(monkeypatch)
    viewer = Client()
    viewer.force_login(User.objects.create_user("vic", is_staff=True))

    response = viewer.post("/admin/measure/", {"slug": "acme"})

    assert response.status_code == 403
    assert Offering.objects.get().probe_state == "draft"
    assert "data-offers" not in viewer.get("/admin/").content.decode()


def test_local_engine_is_offered_and_nothing_is_written(engines: list[LocalEngine]) -> None:
    engines.append(OLLAMA)

    (offer,) = engine_offers()

    assert offer.sentence.startswith(
        "Ollama (listens on 127.0.0.1:11434): 1 offering, at most 0.00 USD a day"
    )
    assert not Provider.objects.exists()


def test_local_engine_begins_at_a_word_with_the_models_the_board_knows(engines: list[LocalEngine]) -> None:
    engines.append(OLLAMA)
    make_model(slug="openai/gpt-oss-20b", name="gpt-oss-20b")
    said: list[str] = []

    begin_measuring(["local-ollama"], now=NOW, say=said.append)

    provider = Provider.objects.get()
    assert (provider.kind, provider.base_url, provider.account_kind) == (
        "self_hosted",
        "http://127.0.0.1:11434/v1",
        "operator_owned",
    )
    offering = Offering.objects.get()
    assert (offering.model.slug, offering.provider_model_name, offering.hosting, offering.probe_state) == (
        "openai/gpt-oss-20b",
        "openai/gpt-oss-20b",
        "self_hosted",
        "active",
    )
    assert said[0].startswith("measuring local-ollama: 1 offerings, 1 of unknown price")
    assert Revision.objects.filter(subject_id="local-ollama", kind="added").exists()
    assert engine_offers() == []


def test_engine_of_unknown_models_is_not_guessed(engines: list[LocalEngine]) -> None:
    engines.append(LocalEngine(OLLAMA.base_url, EngineFacts(engine="ollama", models=("/srv/weights/mine",))))

    assert engine_offers() == []
    with pytest.raises(EnvironmentProblem, match="serves no model that the board knows by name"):
        begin_measuring(["local-ollama"], now=NOW, say=print)
    assert not Provider.objects.exists()
