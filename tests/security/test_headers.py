"""One sweep: the strict headers are on every answer, whatever its kind or status."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponseBase
from django.test import Client
from django.urls import path
from pytest_django import Settings

from leaderboard import urls
from tests.security.addresses import Maker
from tests.security.board import HostileBoard, values_of

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
}


def problems(answer: Any) -> list[str]:
    policy = dict(
        directive.strip().split(" ", 1) for directive in answer["Content-Security-Policy"].split(";")
    )
    found = [] if policy == POLICY else [f"policy {policy}"]
    found += [f"{name} {answer.get(name)}" for name, value in HEADERS.items() if answer.get(name) != value]
    if "camera=()" not in answer.get("Permissions-Policy", ""):
        found.append("no Permissions-Policy")
    if "Server" in answer or "X-Powered-By" in answer:
        found.append("names its software")
    if "Content-Type" not in answer and answer.status_code not in (204, 301, 302, 304):
        found.append("no type")
    return found


@pytest.mark.parametrize("person", ["visitor", "admin"])
def test_every_address_answers_with_strict_headers(
    board: HostileBoard, person: str, request: pytest.FixtureRequest
) -> None:
    client = request.getfixturevalue(person)
    addresses = Maker(values_of(board)).addresses()
    assert len(addresses) > 100

    wrong = {a.path: p for a in addresses if (p := problems(client.get(a.path)))}

    assert wrong == {}


def test_no_address_answers_a_plain_get_with_a_fault_of_ours(board: HostileBoard, admin: Client) -> None:
    faults = [a.path for a in Maker(values_of(board)).addresses() if admin.get(a.path).status_code == 500]

    assert faults == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("get", "/no/such/page", 404),
        ("get", "/no/such.json", 404),
        ("get", "/?window=nonsense", 400),
        ("post", "/", 405),
        ("delete", "/leaderboard.csv", 405),
        ("post", "/admin/logout/", 302),
        ("get", "/static/site.css", 200),
        ("get", "/static/nothing.css", 404),
    ],
)
def test_errors_and_static_files_have_them_too(
    visitor: Client, settings: Settings, method: str, address: str, status: int
) -> None:
    settings.WHITENOISE_USE_FINDERS = True
    settings.WHITENOISE_AUTOREFRESH = True

    answer = getattr(visitor, method)(address)
    answer.close()

    assert answer.status_code == status
    assert problems(answer) == []


@pytest.mark.django_db
def test_form_from_another_site_is_refused_with_the_headers() -> None:
    strict = Client(enforce_csrf_checks=True)

    answer = strict.post("/admin/login/", {"username": "ada", "password": "x"})

    assert answer.status_code == 403
    assert problems(answer) == []


def broken(request: HttpRequest) -> HttpResponseBase:
    raise RuntimeError("sk-canary-in-a-traceback")


class BrokenUrls:
    urlpatterns = [*urls.urlpatterns[:1], path("broken/", broken), *urls.urlpatterns[1:]]


@pytest.mark.django_db
def test_crash_answers_with_the_headers_and_without_the_reason(visitor: Client, settings: Settings) -> None:
    settings.ROOT_URLCONF = BrokenUrls

    answer = visitor.get("/broken/")

    assert answer.status_code == 500
    assert problems(answer) == []
    assert b"canary" not in answer.content
    assert b"Traceback" not in answer.content


@pytest.mark.django_db
def test_unknown_host_is_refused_with_the_headers(visitor: Client) -> None:
    answer = visitor.get("/", headers={"host": "evil.example"})

    assert answer.status_code == 400
    assert problems(answer) == []


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/models/a%00/b.csv", "/?q=%00", "/static/%00.css"])
def test_zero_byte_is_refused_once_for_all(visitor: Client, address: str) -> None:
    answer = visitor.get(address)

    assert answer.status_code == 400
    assert problems(answer) == []
