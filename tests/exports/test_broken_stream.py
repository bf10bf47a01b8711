"""A download that breaks is seen as broken by its reader, through the real web server."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

WHOLE, BROKEN = "/whole.csv", "/broken.csv"


def application(environ: dict[str, str], start_response: Callable[..., object]) -> Iterator[bytes]:
    """What a streamed answer is to the server: blocks, and for one path an error before the last of them."""
    start_response("200 OK", [("Content-Type", "text/csv")])
    return blocks(breaks=environ["PATH_INFO"] == BROKEN)


def blocks(*, breaks: bool) -> Iterator[bytes]:
    yield b"header\r\n"
    yield b"row\r\n" * 20_000
    if breaks:
        raise RuntimeError("the database went away")
    yield b"last\r\n"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        free: int = probe.getsockname()[1]
    command = (
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(free)),
        *("--log-level", "critical", f"{__name__}:application"),
    )
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        wait_for(free)
        yield free
        server.terminate()


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the server did not start")


def read(port: int, path: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path)
        return connection.getresponse().read()
    finally:
        connection.close()


def test_a_whole_file_ends_and_a_broken_one_is_cut_off(port: int) -> None:
    assert read(port, WHOLE).endswith(b"last\r\n")

    with pytest.raises((http.client.IncompleteRead, ConnectionResetError)):
        read(port, BROKEN)
