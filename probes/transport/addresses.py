"""Names → addresses, and the guard that keeps an operator's typed-in URL out of the probe's own network.

The guard judges the very address that is then connected to, so a name that resolves differently a moment later
gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass

from probes.exchange import Ending
from probes.transport.failure import TransportError

_EMBEDDING = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
"""IPv6 ranges that carry an IPv4 address inside (NAT64)."""
_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in (
        *("169.254.169.254", "169.254.170.2", "fd00:ec2::254"),
        *("100.100.100.200", "192.0.0.192", "168.63.129.16"),
    )
)
"""Where clouds hand a machine its own credentials: never asked, not even as a private endpoint."""


@dataclass(frozen=True, slots=True)
class Address:
    """What a socket connects to; `sockaddr` is in the family's own form."""

    family: int
    sockaddr: tuple[object, ...]

    @property
    def is_public(self) -> bool:
        return is_public_address(str(self.sockaddr[0]))

    @property
    def is_metadata(self) -> bool:
        return is_metadata_address(str(self.sockaddr[0]))


def is_public_address(text: str) -> bool:
    """False for everything but unicast addresses of the open internet, IPv4 inside IPv6 included."""
    address = ipaddress.ip_address(text.partition("%")[0])
    inner = embedded_address(address)
    if inner is not None:
        return is_public_address(str(inner))
    return address.is_global and not address.is_multicast and not address.is_reserved


def is_metadata_address(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    return (embedded_address(address) or address) in _METADATA


def embedded_address(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for, None where it stands for itself."""
    if not isinstance(address, ipaddress.IPv6Address):
        return None
    inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
    if inner is None and any(address in network for network in _EMBEDDING):
        inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return inner


async def resolve(host: str, port: int, *, public_only: bool) -> list[Address]:
    """The addresses in the system's order. Raises TransportError (DNS, or OURS where the guard refuses them all)."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        words = getattr(error, "strerror", None) or "the name is not a host name"
        raise TransportError(Ending.DNS, f"the name does not resolve: {words}") from None
    addresses = [Address(family, sockaddr) for family, _, _, _, sockaddr in found]
    if not addresses:
        raise TransportError(Ending.DNS, "the name has no address")
    addresses = [address for address in addresses if not address.is_metadata]
    if not addresses:
        raise TransportError(Ending.OURS, "the address is a cloud's metadata service: never asked")
    if not public_only:
        return addresses
    public = [address for address in addresses if address.is_public]
    if not public:
        raise TransportError(
            Ending.OURS, "the address is not a public one: private, loopback and local are refused"
        )
    return public


def is_ip_literal(host: str) -> bool:
    """Whether there is nothing to resolve."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
