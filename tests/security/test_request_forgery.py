"""The board asks addresses that people type. Nobody makes it ask one that they could not reach themselves.

A listener on loopback stands for everything inside; it counts who connects.
"""

from __future__ import annotations

import asyncio
import html
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import Group, User
from django.test import Client
from pytest_django import Settings

from leaderboard.catalogue.groups import ensure_groups
from leaderboard.catalogue.models import Provider

pytestmark = pytest.mark.django_db

ADD = "/admin/add-provider/"
KEY = "sk-canary-2f7715aa90"


class Inside:
    """Takes connections on loopback, answers with what it is told to, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\nConnection: close\r\n\r\nInside secrets"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            with peer:
                peer.settimeout(5)
                self.asked.append(peer.recv(65_536))
                peer.sendall(self.answer)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)


@pytest.fixture
def inside() -> Iterator[Inside]:
    listener = Inside()
    yield listener
    listener.close()


@pytest.fixture
def editor(settings: Settings) -> Client:
    settings.CREDENTIALS_KEY = Fernet.generate_key().decode()
    ensure_groups()
    user = User.objects.create_user("ed", is_staff=True)
    user.groups.add(Group.objects.get(name="editor"))
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def page_of(client: Client, base_url: str, **fields: str) -> str:
    """The page that "Test connection" answers with."""
    draft = {
        "preset": "openai",
        "name": "Alfa",
        "base_url": base_url,
        "api_key": KEY,
        "test": "Test connection",
    }
    response: Any = client.post(ADD, draft | fields)
    body = response.getvalue() if response.streaming else response.content
    return html.unescape(body.decode())


def names_resolve_to(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    async def getaddrinfo(self: object, host: str, port: int, **_: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)


SPELLINGS = (
    "127.0.0.1", "localhost", "LOCALHOST.", "127.1", "0177.0.0.1", "2130706433", "0x7f.1", "0.0.0.0",
    "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "①②⑦.0.0.1", "box.localhost", "intranet",
)  # fmt: skip


@pytest.mark.parametrize("host", SPELLINGS)
@pytest.mark.parametrize("kind", ["host", "router", "first_party", "hyperscaler"])
def test_provider_of_the_open_internet_is_never_looked_for_inside(
    editor: Client, inside: Inside, host: str, kind: str
) -> None:
    page = page_of(editor, f"https://{host}:{inside.port}/v1", kind=kind)
    saved = editor.post(
        ADD,
        {
            "preset": "openai",
            "name": "Alfa",
            "base_url": f"https://{host}:{inside.port}/v1",
            "kind": kind,
            "save": "Save and choose models",
        },
    )

    assert inside.asked == []
    assert "inside the network" in page or "no host name" in page
    assert saved.status_code == 200
    assert not Provider.objects.exists()


def test_name_that_leads_inside_is_refused_when_it_is_asked(
    editor: Client, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name proves nothing: the very address that would be connected to is judged."""
    names_resolve_to(monkeypatch, "127.0.0.1")
    tried: list[object] = []
    monkeypatch.setattr("probes.transport.connecting._connect", refuse_and_note(tried))

    page_of(editor, f"https://api.alfa.example:{inside.port}/v1", kind="host")

    assert inside.asked == []
    assert tried == []


def refuse_and_note(tried: list[object]) -> Any:
    from probes.exchange import Ending
    from probes.transport.failure import TransportError

    async def connect(address: Any) -> socket.socket:
        tried.append(address.sockaddr[0])
        raise TransportError(Ending.CONNECT, "nothing answers")

    return connect


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "[fd00:ec2::254]", "[::ffff:169.254.169.254]", "100.100.100.200"]
)
def test_clouds_credentials_are_not_asked_for_even_as_an_own_machine(
    editor: Client, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []
    monkeypatch.setattr("probes.transport.connecting._connect", refuse_and_note(tried))

    page = page_of(editor, f"http://{host}/v1", kind="self_hosted")

    assert tried == []
    assert "metadata" in page


def test_redirect_does_not_carry_the_key_inside(editor: Client, inside: Inside) -> None:
    outside = Inside()
    outside.answer = (
        f"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:{inside.port}/v1/models\r\n"
        "Content-Length: 0\r\nConnection: close\r\n\r\n"
    ).encode()
    try:
        page = page_of(editor, f"http://127.0.0.1:{outside.port}/v1", kind="self_hosted", test_model="m")
    finally:
        outside.close()

    assert outside.asked
    assert inside.asked == []
    assert "Inside secrets" not in page
    assert KEY not in page


@pytest.mark.parametrize("scheme", ["file", "gopher", "ftp", "dict", "unix", "data"])
def test_only_the_web_is_asked(editor: Client, scheme: str) -> None:
    assert "Base URL must start with https://" in page_of(
        editor, f"{scheme}:///etc/passwd", kind="self_hosted"
    )
