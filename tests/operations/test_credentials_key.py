from __future__ import annotations

import datetime as dt

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command
from pytest_django import Settings

from leaderboard.catalogue.credentials import decrypted, key_for, store_key
from leaderboard.catalogue.models import Provider
from leaderboard.operations import webhooks
from leaderboard.operations.environment import EnvironmentProblem, read_environment
from leaderboard.operations.models import Webhook
from tests.factories import make_provider

CANARY = "sk-canary-90b1"
SECRET = "a-secret-of-the-receiver"


def test_credentials_keys_are_taken_as_they_are() -> None:
    keys = f"{Fernet.generate_key().decode()}, {Fernet.generate_key().decode()}"

    assert read_environment({"LEADERBOARD_CREDENTIALS_KEY": keys}).credentials_key == keys
    assert read_environment({"LEADERBOARD_CREDENTIALS_KEY": " "}).credentials_key is None


@pytest.mark.parametrize("value", ["hush", "a" * 44, f"{'A' * 43}=,hush", ","])
def test_malformed_credentials_key_stops_the_start_and_is_not_shown(value: str) -> None:
    with pytest.raises(EnvironmentProblem, match=r"manage\.py credentials_key") as refused:
        read_environment({"LEADERBOARD_CREDENTIALS_KEY": value})

    assert "hush" not in str(refused.value)


def test_command_prints_a_usable_key(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("credentials_key")

    Fernet(capsys.readouterr().out.strip())


def stored_with(key: str, settings: Settings) -> tuple[Provider, Webhook]:
    """A provider's key and a webhook's secret, encrypted with this credentials key."""
    settings.CREDENTIALS_KEY = key
    provider = make_provider(name="Alfa")
    store_key(provider, CANARY, now=dt.datetime(2026, 7, 15, tzinfo=dt.UTC))
    provider.save()
    hook = Webhook(name="friend", url="https://friend.example/hook")
    webhooks.keep_secret(hook, SECRET)
    hook.save()
    return provider, hook


@pytest.mark.django_db
def test_after_a_rotation_the_old_key_is_needed_no_more(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    provider, hook = stored_with(old, settings)
    settings.CREDENTIALS_KEY = f"{new},{old}"

    call_command("credentials_key", "--rotate")

    assert capsys.readouterr().out == (
        "1 stored API keys and 1 secrets of webhooks are now encrypted with the first credentials key.\n"
    )
    settings.CREDENTIALS_KEY = new
    provider.refresh_from_db()
    hook.refresh_from_db()
    assert key_for(provider, {}) == CANARY
    assert decrypted(hook.encrypted_secret) == SECRET


@pytest.mark.django_db
def test_rotation_names_what_no_key_opens(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    stored_with(Fernet.generate_key().decode(), settings)
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()

    call_command("credentials_key", "--rotate")

    told = capsys.readouterr()
    assert told.out.startswith("0 stored API keys and 0 secrets")
    assert told.err.splitlines() == [
        "Alfa: none of the credentials keys opens what is stored. Enter it again.",
        "friend: none of the credentials keys opens what is stored. Enter it again.",
    ]
