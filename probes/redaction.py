"""What may be kept of a provider's words: short, printable, and free of keys and addresses."""

from __future__ import annotations

import re

MAX_MESSAGE_CHARS = 200
MAX_READ_CHARS = 4_000
MIN_ECHO_CHARS = 6
"""A word that shares this many characters in a row with the key counts as its echo."""
MARK = "[removed]"

AUTHORIZATION = re.compile(
    r"(?i)\b(?:(?:bearer|basic|aws4-hmac-sha256)\s+|(?:authorization|api[-_ ]?key|token|secret|password)\W{1,4})"
    r"(?=\S*\d)[^\s\"',;]{12,}"
)
KEY_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|key|hf|r8|nvapi|csk|fw|pplx|tgp|AKIA|AIza|ghp|eyJ)[-_A-Za-z0-9.]{12,}"
)
IP_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\b(?:[0-9a-fA-F]{1,4}:){4,7}[0-9a-fA-F]{1,4}\b")
WORD = re.compile(r"[^\s\"'`<>(),;]+")
HTML_TITLE = re.compile(r"(?is)<title[^>]*>(.*?)</title>")


def clean_message(text: str | None, *, secret: str | None = None) -> str | None:
    """At most 200 characters of one line; None for nothing. `secret` is the endpoint's key."""
    if not text or not text.strip():
        return None
    text = _summarise_html(text[:MAX_READ_CHARS])
    text = IP_ADDRESS.sub(MARK, hide_keys(_remove_echoes(text, secret)))
    printable = "".join(map(_escape, text.strip()))
    return printable[:MAX_MESSAGE_CHARS]


def hide_keys(text: str) -> str:
    """The text without what looks like a key, whoever's it is."""
    for pattern in (AUTHORIZATION, KEY_SHAPES):
        text = pattern.sub(MARK, text)
    return text


def _summarise_html(text: str) -> str:
    """An error page's title is all that is worth keeping: the rest holds addresses and scripts."""
    start = text.lstrip("\ufeff \t\r\n")[:200].lower()
    if not start.startswith(("<!doctype", "<html", "<head", "<?xml", "<body")):
        return text
    title = HTML_TITLE.search(text)
    words = re.sub(r"<[^>]*>|\s+", " ", title.group(1)).strip() if title else ""
    return f"an HTML page: {words}" if words else "an HTML page"


def _remove_echoes(text: str, secret: str | None) -> str:
    if not secret or len(secret.strip()) < MIN_ECHO_CHARS:
        return text  # "EMPTY" and "none" are no secrets, and a one-letter key would black out every word
    text = text.replace(secret, MARK)
    pieces = {secret[i : i + MIN_ECHO_CHARS] for i in range(len(secret) - MIN_ECHO_CHARS + 1)}

    def hide(found: re.Match[str]) -> str:
        return MARK if any(piece in found.group() for piece in pieces) else found.group()

    return WORD.sub(hide, text)


def _escape(character: str) -> str:
    """Control characters, line breaks, surrogates and bidirectional marks become visible escapes."""
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")
