from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from leaderboard.operations.addresses import (
    bindable_port,
    in_url,
    names_served,
    preferred_port,
    reachable_host,
)
from leaderboard.operations.embedded.child import ServiceError


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        yield int(listener.getsockname()[1])


def test_port_0_becomes_a_free_one() -> None:
    port = bindable_port("127.0.0.1", 0)

    assert bindable_port("127.0.0.1", port) == port


def test_port_in_use_is_refused_with_the_way_out(taken_port: int) -> None:
    with pytest.raises(ServiceError) as caught:
        bindable_port("127.0.0.1", taken_port)

    assert str(caught.value) == (
        f"Port {taken_port} on 127.0.0.1 is in use; stop its user or choose another with --port (0: a free one)."
    )


def test_preferred_port_gives_way(taken_port: int) -> None:
    assert preferred_port("127.0.0.1", taken_port) != taken_port


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid", "..."])
def test_foreign_host_is_refused(host: str) -> None:
    with pytest.raises(ServiceError, match="not an address of this machine"):
        bindable_port(host, 0)


def test_ipv6_is_bracketed_in_addresses() -> None:
    assert in_url("::1") == "[::1]"
    assert in_url("127.0.0.1") == "127.0.0.1"


@pytest.mark.allow_hosts(["192.0.2.1"])  # a datagram socket's connect sends nothing
def test_wildcard_is_reached_over_loopback_and_served_under_the_machines_names() -> None:
    assert reachable_host("0.0.0.0") == "127.0.0.1"
    assert reachable_host("::") == "::1"
    assert {"0.0.0.0", socket.gethostname()} <= set(names_served("0.0.0.0"))
    assert names_served("192.0.2.7") == ["192.0.2.7"]
