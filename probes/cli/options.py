"""Options that `run` and `sweep` share, and the endpoint they describe.

A UsageError's text is a sentence for the person at the shell; it never holds a key.
"""

from __future__ import annotations

import argparse
import os
from urllib.parse import urlsplit

from probes.endpoint import Endpoint, Limits
from probes.protocols import CannotAskError, get_protocol

LOCAL_HOSTS = ("localhost", "127.", "[::1]", "::1", "0.0.0.0", "192.168.", "10.")  # noqa: S104 - only compared with
REQUEST_PATHS = ("/chat/completions", "/completions", "/responses", "/messages")


class UsageError(Exception):
    """The command line asks for something that cannot be done as written."""


def add_endpoint_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", required=True, help="base URL; for OpenAI-like APIs it ends in /v1")
    parser.add_argument("--model", required=True, metavar="NAME", help="model name as the endpoint knows it")
    parser.add_argument(
        "--protocol", default="openai-chat", metavar="SLUG", help="API style (default openai-chat)"
    )
    parser.add_argument("--api-key-env", metavar="VAR", help="environment variable that holds the key")
    parser.add_argument("--effort", metavar="LEVEL", help="reasoning effort to ask for: none, low, high …")
    parser.add_argument("--region", help="region, where the protocol signs requests with one")
    parser.add_argument(
        "--max-output-tokens", type=positive_int, metavar="N", help="instead of the workload's limit"
    )


def add_limit_options(parser: argparse.ArgumentParser) -> None:
    limits = Limits()
    parser.add_argument("--deadline-s", type=positive_float, default=limits.deadline_s, metavar="S",
                        help=f"limit of one whole request (default {limits.deadline_s:g})")  # fmt: skip
    parser.add_argument("--first-token-s", type=positive_float, default=limits.first_token_s, metavar="S",
                        help=f"longest wait for the first token (default {limits.first_token_s:g})")  # fmt: skip
    parser.add_argument("--idle-s", type=positive_float, default=limits.idle_s, metavar="S",
                        help=f"longest silence between tokens (default {limits.idle_s:g})")  # fmt: skip
    parser.add_argument("--max-bytes", type=positive_int, default=limits.max_bytes, metavar="N",
                        help=f"largest answer, decoded (default {limits.max_bytes})")  # fmt: skip
    parser.add_argument("--max-event-bytes", type=positive_int, default=limits.max_event_bytes, metavar="N",
                        help=f"largest single event (default {limits.max_event_bytes})")  # fmt: skip


def positive_int(text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


def positive_float(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number above 0, not {text!r}")
    return value


def build_limits(options: argparse.Namespace) -> Limits:
    return Limits(
        first_token_s=options.first_token_s,
        idle_s=options.idle_s,
        deadline_s=options.deadline_s,
        max_bytes=options.max_bytes,
        max_event_bytes=options.max_event_bytes,
    )


def build_endpoint(options: argparse.Namespace) -> Endpoint:
    """Raises UsageError."""
    try:
        protocol = get_protocol(options.protocol).slug
    except CannotAskError as error:
        raise UsageError(str(error)) from None
    return Endpoint(
        protocol=protocol,
        base_url=check_base_url(options.url, protocol),
        model=options.model,
        api_key=read_key(options.api_key_env),
        region=options.region,
        reasoning_effort=options.effort,
    )


def check_base_url(url: str, protocol: str) -> str:
    """The URL without blanks around it. Raises UsageError with the likely intention."""
    url = url.strip()
    if not url.lower().startswith(("http://", "https://")):
        bare = url.partition("://")[2] or url
        scheme = "http" if bare.startswith(LOCAL_HOSTS) else "https"
        if protocol.startswith("openai") and "/" not in bare.rstrip("/"):
            bare = f"{bare.rstrip('/')}/v1"
        raise UsageError(
            f"Base URL must start with https:// (or http:// for a server of your own). Did you mean {scheme}://{bare}?"
        )
    try:
        parts = urlsplit(url)
        has_host, has_user = bool(parts.hostname), parts.username is not None
        _ = parts.port
    except ValueError:
        has_host, has_user = False, False
    if not has_host:
        raise UsageError(f"Base URL {url!r} names no host.")
    if has_user:
        raise UsageError("Base URL must not hold a user name or key: name its variable with --api-key-env.")
    for path in REQUEST_PATHS:
        if parts.path.rstrip("/").endswith(path):
            base = url[: url.index(path)]
            raise UsageError(f"Base URL must end before the request's own path. Did you mean {base}?")
    return url


def read_key(variable: str | None) -> str | None:
    """Raises UsageError where a variable is named and empty."""
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise UsageError(
            f"The variable {variable} is not set: export the key in it, or leave --api-key-env out."
        )
    return key
