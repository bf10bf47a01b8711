"""TLS over memory buffers: trust, names and broken sessions."""

from __future__ import annotations

import socket
import ssl

import pytest
import trustme

from probes.lab import Lab
from tests.probes.network.conftest import ProbeOnce, on_a_busy_machine
from tests.probes.network.servers import GOOD_STREAM, ScriptedServer, answer_with, event

SSE = "content-type: text/event-stream\r\n"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def serving(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


def test_stream_over_tls_is_measured(
    authority: trustme.CA, trusting: ssl.SSLContext, probe: ProbeOnce
) -> None:
    with ScriptedServer(answer_with(GOOD_STREAM, head=SSE), tls=serving(authority, "localhost")) as server:
        result = probe(f"https://localhost:{server.port}/v1", tls=trusting)

    assert result.outcome == "ok"
    assert result.tls_ms is not None
    assert result.tls_ms > 0


def test_address_as_name_is_trusted_too(
    authority: trustme.CA, trusting: ssl.SSLContext, probe: ProbeOnce
) -> None:
    with ScriptedServer(answer_with(GOOD_STREAM, head=SSE), tls=serving(authority, "127.0.0.1")) as server:
        assert probe(server.url, tls=trusting).outcome == "ok"


def test_unknown_authority_is_refused(authority: trustme.CA, probe: ProbeOnce) -> None:
    with ScriptedServer(answer_with(GOOD_STREAM, head=SSE), tls=serving(authority, "localhost")) as server:
        result = probe(f"https://localhost:{server.port}/v1", key="probe-key-0123456789abcdef")

    assert (result.outcome, result.detail, result.fault) == ("network", "tls", "network")
    assert server.requests == []


def test_wrong_name_is_refused_without_being_quoted(
    authority: trustme.CA, trusting: ssl.SSLContext, probe: ProbeOnce
) -> None:
    with ScriptedServer(
        answer_with(GOOD_STREAM, head=SSE), tls=serving(authority, "elsewhere.test")
    ) as server:
        result = probe(f"https://localhost:{server.port}/v1", tls=trusting)

    assert (result.outcome, result.detail) == ("network", "tls")
    assert "localhost" not in (result.message or "")


def test_plain_answer_on_a_tls_address(trusting: ssl.SSLContext, probe: ProbeOnce) -> None:
    def answer_plainly(sock: socket.socket, request: bytes) -> None:
        sock.recv(10)
        sock.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

    with ScriptedServer(answer_plainly, reads=False) as server:
        result = probe(f"https://127.0.0.1:{server.port}/v1", tls=trusting)

    assert (result.outcome, result.detail) == ("network", "tls")


def test_hang_up_in_the_handshake(trusting: ssl.SSLContext, probe: ProbeOnce) -> None:
    with ScriptedServer(lambda sock, request: sock.close(), reads=False) as server:
        result = probe(f"https://127.0.0.1:{server.port}/v1", tls=trusting)

    assert (result.outcome, result.detail) == ("network", "tls")


def test_chunked_body_cut_by_the_session_is_broken(
    authority: trustme.CA, trusting: ssl.SSLContext, probe: ProbeOnce
) -> None:
    part = event("Hello")
    chunk = b"%x\r\n%b\r\n" % (len(part), part)
    handler = answer_with(chunk, head=SSE + "transfer-encoding: chunked\r\n")

    with ScriptedServer(handler, tls=serving(authority, "127.0.0.1")) as server:
        result = probe(server.url, tls=trusting)

    assert (result.outcome, result.detail) == ("stream_broken", "reset")


@on_a_busy_machine
def test_lab_over_tls_keeps_its_own_times(
    authority: trustme.CA, trusting: ssl.SSLContext, probe: ProbeOnce
) -> None:
    with Lab(tls_context=serving(authority, "127.0.0.1")) as lab:
        result = probe(lab.url, "plain-ttft60-tps1000-n40", tls=trusting)
        served = lab.wait_for(result.request_id)

    assert (result.outcome, result.chunks, served.received_by) == ("ok", 40, "kernel")
    assert result.ttft_ms == pytest.approx((served.content_ns[0] - served.received_ns) / 1e6, abs=2)


def test_lab_over_tls_closes_on_who_does_not_speak_it(authority: trustme.CA, probe: ProbeOnce) -> None:
    with Lab(tls_context=serving(authority, "127.0.0.1")) as lab:
        result = probe(lab.url.replace("https", "http"))

    assert (result.outcome, result.detail) == ("network", "reset")
