"""What a stranger may write into an address or a header: it is bounded, and never answered by a crash or at length."""

from __future__ import annotations

import base64

import pytest
from django.test import Client

from leaderboard.exports.closed_views import asked_span
from tests.security.board import HostileBoard

TINY = (
    "1e-999999",
    "1E-99999",
    "0." + "0" * 5000 + "1",
    "9" * 5000,
    "1e9",
    "-0",
    "٣",
    "1_0",
    "NaN",
    "Infinity",
)
NUMBERS = (
    ("/offerings/", "price_min"),
    ("/frontier/", "price_max"),
    ("/", "success_min"),
    ("/choose/", "input"),
    ("/choose/", "price_max"),
    ("/compare/", "tokens"),
    ("/self-hosted/", "usd_per_gpu_hour"),
    ("/self-hosted/", "utilisation"),
    ("/self-hosted/", "params_total_b"),
    ("/self-hosted/", "ttft_limit_ms"),
    ("/embed/frontier/", "price_min"),
    ("/leaderboard.csv", "price_min"),
    ("/api/v1/leaderboard", "price_min"),
)


@pytest.mark.parametrize("text", TINY)
@pytest.mark.parametrize(("path", "name"), NUMBERS)
def test_number_of_any_form_is_taken_in_full_or_refused(
    visitor: Client, board: HostileBoard, path: str, name: str, text: str
) -> None:
    plain = visitor.get(path)
    answer = visitor.get(path, {name: text})

    assert answer.status_code in (200, 400, 404, 422)
    if answer.status_code == 200:
        assert len(content(answer)) < len(content(plain)) + 200_000


def content(answer: object) -> bytes:
    return b"".join(answer) if getattr(answer, "streaming", False) else answer.content  # type: ignore[attr-defined,call-overload,no-any-return]


@pytest.mark.parametrize("inside", ["[" * 2900, "[" * 700, '["' + "a" * 5000 + '"]', "9" * 5000, "{}"])
@pytest.mark.parametrize("path", ["/data/v1/samples/since.csv?after=", "/api/v1/offerings?cursor="])
def test_cursor_of_ones_own_making_is_refused(
    visitor: Client, board: HostileBoard, path: str, inside: str
) -> None:
    cursor = base64.urlsafe_b64encode(inside.encode()).decode()

    assert visitor.get(path + cursor).status_code in (400, 422)


@pytest.mark.parametrize(
    "header", ["bytes=0-" + "9" * 4400, "bytes=-" + "9" * 4400, "bytes=" + "9" * 4400 + "-"]
)
def test_range_beyond_any_file_is_read_as_none(header: str) -> None:
    assert asked_span(header, 1000) is None


@pytest.mark.parametrize(
    "path", ["/", "/leaderboard.csv", "/api/v1/offerings", "/data/v1/latest.json", "/healthz", "/nowhere"]
)
@pytest.mark.parametrize("session", ["gone", "x\0y", "'; drop table x"])
def test_no_public_answer_sets_a_cookie(
    visitor: Client, board: HostileBoard, path: str, session: str
) -> None:
    visitor.cookies["sessionid"] = session

    assert not visitor.get(path).cookies
