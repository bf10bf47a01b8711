"""What is kept of a provider's words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.redaction import clean_message

KEY = "probe-key-EXAMPLE-0123456789abcdef"


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_message_of_nothing_is_none(text: str | None) -> None:
    assert clean_message(text) is None


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {KEY}.",
        "Incorrect API key: probe-ke**********cdef, really probe-key-EXAMPLE-0123",
        f'{{"authorization": "Bearer {KEY}"}}',
        f"url was https://api.test/v1?key={KEY}&x=1",
    ],
)
def test_message_never_holds_the_key_nor_a_piece_of_it(text: str) -> None:
    cleaned = clean_message(text, secret=KEY)

    assert cleaned is not None
    assert "probe-k" not in cleaned
    assert "EXAMPLE" not in cleaned
    assert "012345" not in cleaned


@pytest.mark.parametrize(
    "secret",
    [
        "Bearer abcdefghijkl0123456789",
        "authorization=abcdef0123456789",
        "sk-proj-abcdefghijklmnop",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx",
        "AKIAIOSFODNN7EXAMPLEX",
        "192.0.2.7",
        "2001:db8:0:1:2:3:4:5",
    ],
)
def test_message_loses_what_looks_like_a_key_or_an_address(secret: str) -> None:
    assert clean_message(f"refused {secret} today") == "refused [removed] today"


def test_message_keeps_plain_words_about_keys() -> None:
    text = "Incorrect API key provided. You can obtain an API key from https://console.test."

    assert clean_message(text) == text


def test_message_of_an_html_page_is_its_title() -> None:
    page = "<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head><body>Your IP: 192.0.2.7</body></html>"

    assert clean_message(page) == "an HTML page: 502 Bad Gateway"
    assert clean_message("<html><body>Please sign in</body></html>") == "an HTML page"


def test_message_is_one_printable_line_of_200_characters() -> None:
    cleaned = clean_message("a\nb\x1b[31m\u202e\ud800" + "x" * 500)

    assert cleaned is not None
    assert cleaned.startswith("a\\nb\\x1b[31m\\u202e\\ud800x")
    assert len(cleaned) == 200


@settings(max_examples=200, deadline=None, derandomize=True)
@given(before=st.text(max_size=150), after=st.text(max_size=150))
def test_message_is_always_safe(before: str, after: str) -> None:
    cleaned = clean_message(before + KEY + after, secret=KEY) or ""

    assert len(cleaned) <= 200
    assert cleaned.isprintable()
    assert KEY not in cleaned


def test_a_word_that_is_no_secret_stays() -> None:
    assert clean_message("k means k, and EMPTY is empty", secret="k") == "k means k, and EMPTY is empty"
    assert clean_message("EMPTY is empty", secret="EMPTY") == "EMPTY is empty"
