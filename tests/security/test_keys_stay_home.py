"""A key goes to the host it was entered for. Whoever may change an address, or name a variable, learns none by it."""

from __future__ import annotations

import datetime as dt
import html
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django import Settings

from leaderboard.catalogue.credentials import is_own_variable, key_for, store_key
from leaderboard.catalogue.groups import ensure_groups
from leaderboard.catalogue.models import Offering, Provider
from tests.factories import make_offering, make_provider

pytestmark = pytest.mark.django_db

KEY = "sk-canary-5561f0"
HOME = "https://api.alfa.example/v1"
AWAY = "https://api.alfa.example.evil.example/v1"
ADD = "/admin/add-provider/"


@pytest.fixture(autouse=True)
def key_of_the_board(settings: Settings) -> None:
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()


def member(*roles: str) -> Client:
    ensure_groups()
    user = User.objects.create_user("-".join(roles), is_staff=True)
    user.groups.set(Group.objects.filter(name__in=roles))
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def stored(**fields: Any) -> Provider:
    provider = make_provider(name="Alfa", slug="alfa", base_url=HOME, **fields)
    store_key(provider, KEY, now=dt.datetime(2026, 7, 15, tzinfo=dt.UTC))
    provider.save()
    return provider


def change(client: Client, row: Any, **fields: Any) -> str:
    """The row's own admin form sent back with these fields changed; the page's text."""
    name = f"/admin/catalogue/{row._meta.model_name}/{row.pk}/change/"
    form = client.get(name).context["adminform"].form
    posted = {field: form[field].value() for field in form.fields}
    posted = {
        field: ("" if value is None else value) for field, value in posted.items() if value is not False
    }
    for prefix in ("offerings", "prices", "price_set"):
        posted |= {f"{prefix}-TOTAL_FORMS": 0, f"{prefix}-INITIAL_FORMS": 0}
    return html.unescape(client.post(name, posted | fields, follow=True).content.decode())


def test_new_host_asks_for_its_own_key() -> None:
    provider = stored()

    page = change(member("editor"), provider, base_url=AWAY)

    provider.refresh_from_db()
    assert (provider.base_url, key_for(provider, {})) == (HOME, KEY)
    assert "A key is stored for the host as it was." in page


@pytest.mark.parametrize("fields", [{"api_key": "sk-new"}, {"remove_key": "on"}])
def test_new_host_with_a_new_key_or_none_is_taken(fields: dict[str, str]) -> None:
    provider = stored()

    change(member("editor"), provider, base_url=AWAY, **fields)

    provider.refresh_from_db()
    assert provider.base_url == AWAY
    assert key_for(provider, {}) == fields.get("api_key")


def test_another_path_of_the_same_host_keeps_the_key() -> None:
    provider = stored()

    change(member("editor"), provider, base_url="https://api.alfa.example/v2")

    provider.refresh_from_db()
    assert (provider.base_url, key_for(provider, {})) == ("https://api.alfa.example/v2", KEY)


@pytest.mark.parametrize(("roles", "goes"), [(("editor",), False), (("editor", "operator"), True)])
def test_only_an_operator_sends_a_variables_key_elsewhere(roles: tuple[str, ...], goes: bool) -> None:
    provider = make_provider(name="Beta", slug="beta", base_url=HOME, api_key_env="BETA_API_KEY")

    change(member(*roles), provider, base_url=AWAY)

    provider.refresh_from_db()
    assert (provider.base_url == AWAY) is goes


@pytest.mark.parametrize(("roles", "named"), [(("editor",), ""), (("editor", "operator"), "SOME_API_KEY")])
def test_only_an_operator_names_a_variable(roles: tuple[str, ...], named: str) -> None:
    provider = make_provider(name="Beta", slug="beta", base_url=HOME)

    change(member(*roles), provider, api_key_env="SOME_API_KEY")

    provider.refresh_from_db()
    assert provider.api_key_env == named


@pytest.mark.parametrize(("roles", "goes"), [(("editor",), False), (("editor", "operator"), True)])
def test_offering_does_not_take_its_providers_key_elsewhere(roles: tuple[str, ...], goes: bool) -> None:
    offering: Offering = make_offering(provider=stored())

    change(member(*roles), offering, base_url=AWAY)

    offering.refresh_from_db()
    assert (offering.base_url == AWAY) is goes


@pytest.mark.parametrize(
    "name", ["SECRET_KEY", "DATABASE_URL", "LEADERBOARD_CREDENTIALS_KEY", "DJANGO_SUPERUSER_PASSWORD"]
)
def test_boards_own_secrets_are_nobodys_key(name: str) -> None:
    provider = make_provider(name="Beta", slug="beta", base_url=HOME, api_key_env=name)
    admin = Client()
    admin.force_login(
        User.objects.create_superuser("ada"), backend="django.contrib.auth.backends.ModelBackend"
    )

    assert is_own_variable(name)
    assert key_for(provider, {name: "hunter2"}) is None
    draft = {
        "preset": "openai",
        "name": "Gamma",
        "base_url": HOME,
        "api_key_env": name,
        "test": "Test connection",
    }
    assert "belongs to the board itself" in admin.post(ADD, draft).content.decode()
    other = make_provider(name="Delta", slug="delta", base_url=HOME)
    change(admin, other, api_key_env=name)
    other.refresh_from_db()
    assert other.api_key_env == ""


def test_listed_provider_taken_up_at_another_host_brings_no_key() -> None:
    """The add-a-provider page takes a known name up: with its facts, and not with what was entered for its host."""
    provider = stored(api_key_env="ALFA_API_KEY")
    draft = {"preset": "openai", "name": "Alfa", "base_url": AWAY, "save": "Save and choose models"}

    member("editor").post(ADD, draft)

    provider.refresh_from_db()
    assert provider.base_url == AWAY
    assert (provider.encrypted_api_key, provider.api_key_env) == ("", "")


def test_editor_names_no_variable_on_the_add_page() -> None:
    draft = {"preset": "openai", "name": "Gamma", "base_url": HOME, "api_key_env": "GAMMA_API_KEY"}

    page = member("editor").post(ADD, draft | {"test": "Test connection"}).content.decode()

    assert "Only an operator may name a variable." in page
