"""The guard against a probe of one's own network."""

from __future__ import annotations

import asyncio
import socket

import pytest

from probes.lab import Lab
from probes.transport.addresses import is_public_address, resolve
from probes.transport.failure import TransportError
from tests.probes.network.conftest import ProbeOnce


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.7", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "240.0.0.1", "192.0.2.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_address_of_no_public_host_is_refused(address: str) -> None:
    assert not is_public_address(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_public_address_is_allowed(address: str) -> None:
    assert is_public_address(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f.1", "2130706433"])
def test_spellings_of_loopback_are_refused(host: str, lab: Lab, probe: ProbeOnce) -> None:
    url = lab.url.replace("127.0.0.1", host)

    result = probe(url, "plain", public_only=True)

    assert (result.outcome, result.fault) == ("ours", "ours")
    assert not lab.served


def test_mixed_answers_keep_only_the_public_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 443)) for host in ("10.0.0.1", "8.8.8.8")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)

    found = asyncio.run(resolve("mixed.test", 443, public_only=True))

    assert [address.sockaddr[0] for address in found] == ["8.8.8.8"]


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254", "168.63.129.16"],
)
def test_metadata_service_is_refused_even_to_a_private_endpoint(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)

    with pytest.raises(TransportError, match="metadata service") as caught:
        asyncio.run(resolve("inside.test", 80, public_only=False))
    assert caught.value.ending == "ours"


def test_name_is_asked_for_once_so_it_cannot_change_its_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["127.0.0.1", "8.8.8.8"])
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), 443))],
    )

    with pytest.raises(TransportError, match="not a public one"):
        asyncio.run(resolve("rebinding.test", 443, public_only=True))
    assert next(answers) == "8.8.8.8"
