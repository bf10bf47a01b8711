from __future__ import annotations

import pytest
from django.test import Client

from tests.ranking.factories import make_saved_snapshot

pytestmark = pytest.mark.django_db

PUBLIC = (
    "/",
    "/offerings/",
    "/leaderboard.csv",
    "/data/",
    "/changes.atom",
    "/oembed",
    "/status.json",
    "/healthz",
)


@pytest.fixture
def strict() -> Client:
    """A client that is asked for a form's token, as a browser is."""
    return Client(enforce_csrf_checks=True)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("address", PUBLIC)
def test_public_address_names_the_methods_it_takes(strict: Client, method: str, address: str) -> None:
    make_saved_snapshot()

    response = strict.generic(method, address)

    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")


def test_refusal_of_a_json_file_is_json(strict: Client) -> None:
    refusal = strict.post("/status.json")

    assert refusal.json()["error"]["code"] == "method_not_allowed"


def test_address_that_leads_nowhere_stays_not_found(strict: Client) -> None:
    assert strict.post("/no-such-page/").status_code == 404


def test_admin_form_is_still_asked_for_its_token(strict: Client) -> None:
    assert strict.post("/admin/login/").status_code == 403
