from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from pytest_django import Settings

from leaderboard.catalogue.credentials import (
    CredentialsProblem,
    describe_key,
    forget_key,
    key_for,
    store_key,
)
from leaderboard.catalogue.models import Provider

CANARY = "sk-canary-8f3ac1d2"
NOW = dt.datetime(2026, 7, 15, 9, 0, tzinfo=dt.UTC)


@pytest.fixture
def credentials_key(settings: Settings) -> str:
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()
    return str(settings.CREDENTIALS_KEY)


@pytest.mark.usefixtures("credentials_key")
def test_stored_key_is_encrypted_and_comes_back() -> None:
    provider = Provider(slug="alfa", name="Alfa")

    store_key(provider, f" {CANARY}\n", now=NOW)

    assert CANARY not in provider.encrypted_api_key
    assert CANARY not in repr(vars(provider))
    assert key_for(provider, {}) == CANARY
    assert describe_key(provider, {}) == "set on 15 July"
    forget_key(provider)
    assert key_for(provider, {}) is None
    assert describe_key(provider, {}) == "none"


@pytest.mark.usefixtures("credentials_key")
def test_variable_wins_over_the_stored_key() -> None:
    provider = Provider(slug="alfa", name="Alfa", api_key_env="ALFA_KEY")
    store_key(provider, "stored", now=NOW)

    assert key_for(provider, {"ALFA_KEY": CANARY}) == CANARY
    assert describe_key(provider, {"ALFA_KEY": CANARY}) == "in variable ALFA_KEY"
    assert key_for(provider, {"ALFA_KEY": " "}) == "stored"


def test_missing_variable_is_named() -> None:
    provider = Provider(slug="alfa", name="Alfa", api_key_env="ALFA_KEY")

    assert key_for(provider, {}) is None
    assert describe_key(provider, {}) == "variable ALFA_KEY is not set"


def test_key_of_another_credentials_key_is_no_key_and_says_so(settings: Settings) -> None:
    provider = Provider(slug="alfa", name="Alfa")
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()
    store_key(provider, CANARY, now=NOW)
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()

    assert key_for(provider, {}) is None
    assert "LEADERBOARD_CREDENTIALS_KEY has changed" in describe_key(provider, {})


def test_malformed_credentials_key_says_how_to_make_one(settings: Settings) -> None:
    settings.CREDENTIALS_KEY = "hush-hush"

    with pytest.raises(CredentialsProblem, match=r"manage\.py credentials_key") as refused:
        store_key(Provider(), CANARY, now=NOW)

    assert "hush-hush" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_board_without_a_credentials_key_keeps_its_own(settings: Settings, tmp_path: Path) -> None:
    settings.CREDENTIALS_KEY = None
    settings.DATA_DIR = tmp_path
    provider = Provider(slug="alfa", name="Alfa")

    store_key(provider, CANARY, now=NOW)

    assert key_for(provider, {}) == CANARY
    assert (tmp_path / "credentials_key").stat().st_mode & 0o777 == 0o600
