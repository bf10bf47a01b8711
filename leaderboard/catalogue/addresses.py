"""Base URLs as typed: checked, tidied, or refused with the address that was probably meant. No network."""

from __future__ import annotations

import contextlib
import re
import socket
import unicodedata
from urllib.parse import SplitResult, urlsplit, urlunsplit

from probes.transport.addresses import is_ip_literal, is_public_address

PATHS_OF_CALLS = ("/chat/completions", "/completions", "/responses", "/messages", "/models", "/embeddings")
HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_-]{1,63})*\.?", re.IGNORECASE)
VERSION = re.compile(r"v\d[a-z0-9.]*", re.IGNORECASE)
PLACEHOLDER = re.compile(r"\{[a-z_]+\}")
MUST_START = "Base URL must start with https:// and usually ends in /v1."
INSIDE = "This address is inside the network. Choose kind Self-hosted if that is meant."


class BadBaseUrl(ValueError):
    """The text is no base URL; says what was seen and what to write."""


def tidy_base_url(text: str, *, may_be_private: bool) -> str:
    """The base URL without blanks and a last slash. Raises BadBaseUrl.

    Only an address that may be private may do without TLS or lie inside the network.
    """
    typed = text.strip()
    parts = split(typed)
    if parts.scheme not in ("http", "https"):
        raise BadBaseUrl(f"{MUST_START}{did_you_mean(typed)}")
    refuse_secrets(parts)
    host = checked_host(parts)
    if any(parts.path.rstrip("/").endswith(path) for path in PATHS_OF_CALLS):
        raise BadBaseUrl(f"{MUST_START}{did_you_mean(typed)}")
    if is_private_host(host) and not may_be_private:
        raise BadBaseUrl(INSIDE)
    if parts.scheme == "http" and not may_be_private:
        raise BadBaseUrl(f"{MUST_START}{did_you_mean(typed)}")
    return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path.rstrip("/"), "", ""))


def split(typed: str) -> SplitResult:
    try:
        parts = urlsplit(typed)
        _ = parts.port
    except ValueError:
        raise BadBaseUrl(f"{MUST_START} This cannot be read as an address.") from None
    if re.search(r"[\s\x00-\x1f\\]", typed):
        raise BadBaseUrl("Base URL must not hold blanks or control characters.")
    return parts


def refuse_secrets(parts: SplitResult) -> None:
    """A key in the address would be stored in the open, so it is refused and not repeated."""
    if parts.username or parts.password:
        raise BadBaseUrl("Base URL must not hold a user name or password. Put the key into API key.")
    if parts.query or parts.fragment:
        raise BadBaseUrl("Base URL must end before the ? and hold no key. Put the key into API key.")


def checked_host(parts: SplitResult) -> str:
    host = PLACEHOLDER.sub("x.x", parts.hostname or "")  # may stand for a whole name
    try:
        ascii_host = host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        ascii_host = ""
    if not (":" in host or HOST.fullmatch(ascii_host)):
        meant = did_you_mean(urlunsplit(parts)) or " There is no host name in it."
        raise BadBaseUrl(f"{MUST_START}{meant}")
    return host


def is_private_host(host: str) -> bool:
    """Whether a host name says by itself that it is inside; names are checked again after they are resolved."""
    name = as_read_by_a_socket(host)
    if is_ip_literal(name):
        return not is_public_address(name)
    # One word alone is looked up among the machines of one's own network.
    return "." not in name or name.endswith((".localhost", ".local", ".internal"))


def as_read_by_a_socket(host: str) -> str:
    """The address that connecting would take the text for: `127.1`, `0177.0.0.1`, `2130706433` and `①②⑦.0.0.1` are
    all `127.0.0.1` to a resolver. A name stays a name, in lower case and without its last dot.
    """
    name = unicodedata.normalize("NFKC", host).replace("。", ".").rstrip(".").lower()
    if not is_ip_literal(name):
        with contextlib.suppress(OSError, UnicodeError):
            name = socket.inet_ntoa(socket.inet_aton(name))
    return name


def looks_private(text: str) -> bool:
    """Whether a typed address lies inside the network on its face; False for what is no address."""
    try:
        return is_private_host(urlsplit(text.strip()).hostname or "")
    except ValueError:
        return False


def did_you_mean(typed: str) -> str:
    """` Did you mean https://…?` where one can be made of it, else nothing."""
    bare = re.sub(
        r"^(https?:?(?=/)|[a-z][a-z0-9+.-]*:(?=/))?/*", "", re.split(r"[?#]", typed)[0], flags=re.IGNORECASE
    )
    for path in PATHS_OF_CALLS:
        bare = bare.rstrip("/").removesuffix(path)
    host, _, path = bare.partition("/")
    with contextlib.suppress(ValueError):
        parts = urlsplit(f"//{host}")
        name, port = parts.hostname or "", parts.port
        if "@" not in host and may_be_a_host(name, port):
            return (
                f" Did you mean {'http' if is_private_host(name) else 'https'}://{host}{with_version(path)}?"
            )
    return ""


def may_be_a_host(name: str, port: int | None) -> bool:
    """One word alone is more likely a slip than a machine; with a port it is a machine."""
    if is_ip_literal(name):
        return True
    return bool(HOST.fullmatch(name)) and ("." in name or name == "localhost" or port is not None)


def with_version(path: str) -> str:
    """The path with /v1 at its end, where no part of it names a version."""
    parts = [part for part in path.split("/") if part]
    if not any(VERSION.fullmatch(part) for part in parts):
        parts.append("v1")
    return "/" + "/".join(parts)
