"""Base URLs as typed: checked, tidied, or refused with the address that was probably meant. No network."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

PATHS_OF_CALLS = ("/chat/completions", "/completions", "/responses", "/messages", "/models", "/embeddings")
HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_-]{1,63})*\.?", re.IGNORECASE)
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
    host = PLACEHOLDER.sub("x", parts.hostname or "")
    try:
        ascii_host = host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        ascii_host = ""
    if not (":" in host or HOST.fullmatch(ascii_host)):
        raise BadBaseUrl(f"{MUST_START} There is no host name in it.")
    return host


def is_private_host(host: str) -> bool:
    """Whether a host name says by itself that it is inside; names are checked again after they are resolved."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return name.isdecimal() or name.startswith("0x")
    return not address.is_global or address.is_multicast


def looks_private(text: str) -> bool:
    """Whether a typed address lies inside the network on its face; False for what is no address."""
    try:
        return is_private_host(urlsplit(text.strip()).hostname or "")
    except ValueError:
        return False


def did_you_mean(typed: str) -> str:
    """` Did you mean https://…?` where one can be made of it, else nothing."""
    bare = re.sub(r"^([a-z][a-z0-9+.-]*:)?/+", "", typed.split("?")[0].split("#")[0], flags=re.IGNORECASE)
    for path in PATHS_OF_CALLS:
        bare = bare.rstrip("/").removesuffix(path)
    host, _, path = bare.partition("/")
    name = host.rpartition(":")[0] or host
    if "@" in host or not HOST.fullmatch(name) or ("." not in name and name != "localhost"):
        return ""
    scheme = "http" if is_private_host(name) else "https"
    return f" Did you mean {scheme}://{host}/{path.strip('/') or 'v1'}?"
