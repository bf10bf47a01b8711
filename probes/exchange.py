"""What the wire gave for one request, before anything was decoded: the boundary between transport and judgement.

`transport` fills an Exchange from a live connection, `replay` from a file with a virtual clock; `judge` reads it.
All stamps are nanoseconds of one monotonic clock; a chunk is one transport read, stamped before it is decoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Ending(StrEnum):
    """How the exchange stopped; all but CLOSED and TERMINAL is a failure unless the terminal marker had come before."""

    CLOSED = "closed"
    """The body ended cleanly."""
    TERMINAL = "terminal"
    """We hung up after the terminal marker, the server kept the connection open."""
    RESET = "reset"
    """The transport broke, or the body was shorter than promised."""
    TIMEOUT_FIRST_TOKEN = "timeout_first_token"
    STALLED = "stalled"
    TIMEOUT_TOTAL = "timeout_total"
    TOO_LARGE = "too_large"
    BAD_BODY = "bad_body"
    """The content encoding could not be undone."""
    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    NOT_STREAMED = "not_streamed"
    """The first of two requests was answered without an address to stream from."""
    OURS = "ours"
    """The request could not be sent for a reason of our own (bad URL, missing key, bug)."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One transport read: `body` is the HTTP payload with transfer coding undone, content coding undone too."""

    at_ns: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and all that came back. `sent_ns` is t0; `status` is None when no answer arrived."""

    sent_ns: int
    ended_ns: int
    ending: Ending
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Answer headers, names lower-cased."""
    chunks: Sequence[Chunk] = ()
    error: str | None = None
    """The transport's own words for a failure; cleaned and cut by `judge`."""
    headers_ns: int | None = None
    dns_ms: float | None = None
    tcp_ms: float | None = None
    tls_ms: float | None = None
    connection_reused: bool = False
    client_lag_ms: float | None = None
    clock_stepped: bool = False
    kernel_stamped: bool = False
