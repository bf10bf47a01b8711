from __future__ import annotations

import pytest

from leaderboard.catalogue.addresses import BadBaseUrl, looks_private, tidy_base_url


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("api.example.com", "https://api.example.com/v1"),
        ("api.example.com/v1", "https://api.example.com/v1"),
        ("http://api.example.com/v1", "https://api.example.com/v1"),
        ("ftp://api.example.com/v1", "https://api.example.com/v1"),
        ("https://api.example.com/v1/chat/completions", "https://api.example.com/v1"),
        ("https://api.example.com/openai/v1/models/", "https://api.example.com/openai/v1"),
        ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("localhost:11434", "http://localhost:11434/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        ("gpu-box:8000", "http://gpu-box:8000/v1"),
        ("api.example.com/openai", "https://api.example.com/openai/v1"),
        ("api.example.com/v1beta", "https://api.example.com/v1beta"),
        ("https:/api.example.com", "https://api.example.com/v1"),
        ("https//api.example.com/v1", "https://api.example.com/v1"),
    ],
)
def test_wrong_base_url_is_answered_with_the_one_meant(typed: str, meant: str) -> None:
    with pytest.raises(BadBaseUrl) as refused:
        tidy_base_url(typed, may_be_private=False)

    assert str(refused.value) == (
        f"Base URL must start with https:// and usually ends in /v1. Did you mean {meant}?"
    )


@pytest.mark.parametrize(
    "typed",
    [
        "https://127.0.0.1/v1",
        "https://localhost/v1",
        "https://10.1.2.3/v1",
        "https://169.254.169.254/latest",
        "https://[::1]/v1",
        "https://[::ffff:10.0.0.1]/v1",
        "https://2130706433/v1",
        "https://metadata.google.internal/v1",
        "https://100.64.0.1/v1",
        "https://127.1/v1",
        "https://0177.0.0.1/v1",
        "https://0x7f.0.0.1/v1",
        "https://0/v1",
        "https://①②⑦.0.0.1/v1",
        "https://127。0。0。1/v1",
        "https://ｌｏｃａｌｈｏｓｔ/v1",
        "https://127.0.0.1./v1",
        "https://localhost./v1",
        "https://gpu-box/v1",
        "https://[64:ff9b::7f00:1]/v1",
        "https://[64:ff9b:1::a00:1]/v1",
        "https://[::127.0.0.1]/v1",
        "https://[2002:7f00:1::]/v1",
    ],
)
def test_address_inside_the_network_needs_the_self_hosted_kind(typed: str) -> None:
    with pytest.raises(BadBaseUrl, match="Choose kind Self-hosted if that is meant"):
        tidy_base_url(typed, may_be_private=False)

    assert looks_private(typed)
    assert tidy_base_url(typed, may_be_private=True) == typed


@pytest.mark.parametrize(
    "typed",
    [
        "https://8.8.8.8/v1",
        "https://[2001:4860:4860::8888]/v1",
        "https://[64:ff9b::808:808]/v1",
        "https://127.0.0.1.example.com/v1",
        "https://localhost.example.com/v1",
        "https://bücher.example/v1",
    ],
)
def test_public_address_needs_no_self_hosted_kind(typed: str) -> None:
    assert tidy_base_url(typed, may_be_private=False) == typed
    assert not looks_private(typed)


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("https://user:hush@api.example.com/v1", "API key"),
        ("https://api.example.com/v1?key=hush", "API key"),
        ("https://api.example.com/v1#hush", "API key"),
    ],
)
def test_key_in_the_address_is_refused_and_not_repeated(typed: str, named: str) -> None:
    with pytest.raises(BadBaseUrl, match=named) as refused:
        tidy_base_url(typed, may_be_private=True)

    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    "typed", ["file:///etc/hosts", "", "https://", "https://a b/v1", "https://a.example:port/v1", "//"]
)
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(BadBaseUrl):
        tidy_base_url(typed, may_be_private=True)


def test_good_address_is_tidied() -> None:
    assert (
        tidy_base_url("  https://API.Example.com/v1/ ", may_be_private=False) == "https://api.example.com/v1"
    )
