"""Opening a connection: name, TCP and TLS, each timed apart, all under one limit."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import Sequence
from dataclasses import dataclass

from probes.exchange import Ending
from probes.transport.addresses import Address, is_ip_literal, resolve
from probes.transport.failure import TransportError, describe_os_error
from probes.transport.tls import TlsLayer
from probes.transport.wire import Wire

CONNECT_LIMIT_S = 15.0
"""For each of name, TCP and TLS; the probe's own deadline may be nearer."""


@dataclass(slots=True)
class ConnectTimes:
    """Milliseconds of each step; None for a step not taken (a literal address, plain HTTP)."""

    dns_ms: float | None = None
    tcp_ms: float | None = None
    tls_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where to connect."""

    host: str
    port: int
    is_tls: bool
    public_only: bool = False


async def open_wire(origin: Origin, times: ConnectTimes, tls_context: ssl.SSLContext | None) -> Wire:
    """A connected wire; `times` is filled as the steps end. Raises TransportError."""
    addresses = await _resolve(origin, times)
    sock = await _connect_any(addresses, times)
    try:
        tls = await _wrap(sock, origin, times, tls_context)
        return Wire(sock, tls)
    except BaseException:
        sock.close()
        raise


async def _resolve(origin: Origin, times: ConnectTimes) -> list[Address]:
    start_ns = time.perf_counter_ns()
    try:
        async with asyncio.timeout(CONNECT_LIMIT_S):
            addresses = await resolve(origin.host, origin.port, public_only=origin.public_only)
    except TimeoutError:
        raise TransportError(Ending.DNS, "the name did not resolve in time") from None
    if not is_ip_literal(origin.host):
        times.dns_ms = _ms_since(start_ns)
    return addresses


async def _connect_any(addresses: Sequence[Address], times: ConnectTimes) -> socket.socket:
    """The first address that answers; `tcp_ms` is that one's alone."""
    failure = TransportError(Ending.CONNECT, "no address to connect to")
    for address in addresses:
        start_ns = time.perf_counter_ns()
        try:
            sock = await _connect(address)
        except TransportError as error:
            failure = error
            continue
        times.tcp_ms = _ms_since(start_ns)
        return sock
    raise failure


async def _connect(address: Address) -> socket.socket:
    sock = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        async with asyncio.timeout(CONNECT_LIMIT_S):
            await asyncio.get_running_loop().sock_connect(sock, address.sockaddr)
    except TimeoutError:
        sock.close()
        raise TransportError(Ending.CONNECT, "the server did not take the connection in time") from None
    except OSError as error:
        sock.close()
        raise TransportError(Ending.CONNECT, describe_os_error(error)) from None
    except BaseException:
        sock.close()
        raise
    return sock


async def _wrap(
    sock: socket.socket, origin: Origin, times: ConnectTimes, tls_context: ssl.SSLContext | None
) -> TlsLayer | None:
    if not origin.is_tls or tls_context is None:
        return None
    start_ns = time.perf_counter_ns()
    tls = TlsLayer(tls_context, origin.host)
    try:
        async with asyncio.timeout(CONNECT_LIMIT_S):
            await tls.shake_hands(sock)
    except TimeoutError:
        raise TransportError(Ending.TLS, "the TLS handshake did not end in time") from None
    times.tls_ms = _ms_since(start_ns)
    return tls


def _ms_since(start_ns: int) -> float:
    return (time.perf_counter_ns() - start_ns) / 1e6
