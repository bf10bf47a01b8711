from __future__ import annotations

from collections.abc import Iterator

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from probes.lab.server import Lab


@pytest.fixture
def lab() -> Iterator[Lab]:
    with Lab() as running:
        yield running


@pytest.fixture(autouse=True)
def plain_settings(settings: Settings) -> None:
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client
