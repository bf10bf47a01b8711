"""What networks and servers do to a request, over real sockets on loopback."""

from __future__ import annotations

import asyncio
import gc
import socket
import subprocess
import sys
import time
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from probes.endpoint import Endpoint, Limits
from probes.kernel_time import sample_offset_ns
from probes.lab import Lab
from probes.result import ProbeResult
from probes.run import run_probe
from probes.transport import wire
from probes.workloads import get_workload
from tests.probes.network.conftest import QUICK, SHORT, ProbeOnce, on_a_busy_machine
from tests.probes.network.servers import (
    ENDING,
    GOOD_STREAM,
    ScriptedServer,
    answer_with,
    event,
    reset,
    wait_for_close,
)

ROOT = Path(__file__).parents[3]
SSE = "content-type: text/event-stream\r\n"
TOLERANCE_MS = 10
"""Lab and probe share one process here; tests/benchmarks says what the meter reaches on its own."""
KEY = "probe-key-0123456789abcdef"


@on_a_busy_machine
def test_times_agree_with_the_servers_own(lab: Lab, probe: ProbeOnce) -> None:
    result = probe(lab.url, "plain-ttft120-tps300")

    served = lab.wait_for(result.request_id)
    assert result.ttft_ms == pytest.approx(
        (served.content_ns[0] - served.received_ns) / 1e6, abs=TOLERANCE_MS
    )
    assert result.last_token_ms == pytest.approx(
        (served.content_ns[-1] - served.received_ns) / 1e6, abs=TOLERANCE_MS
    )


@on_a_busy_machine
def test_blocked_loop_is_noticed_and_does_not_move_kernel_stamps(lab: Lab) -> None:
    async def measure_while_blocked() -> ProbeResult:
        loop = asyncio.get_running_loop()
        for turn in range(6):
            loop.call_later(0.03 + 0.06 * turn, time.sleep, 0.04)
        return await run_probe(
            Endpoint("openai-chat", lab.url, "plain-ttft150-tps20-n8"), SHORT, limits=QUICK
        )

    result = asyncio.run(measure_while_blocked())

    served = lab.wait_for(result.request_id)
    assert result.client_lag_ms is not None
    assert result.client_lag_ms > 20
    # The lab shares this process, so its own stamps are the truth, not its plan.
    assert result.ttft_ms == pytest.approx((served.content_ns[0] - served.received_ns) / 1e6, abs=5)


@on_a_busy_machine
def test_user_space_stamps_serve_where_the_kernel_gives_none(
    lab: Lab, probe: ProbeOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "ask_for_stamps", lambda sock: False)

    result = probe(lab.url, "plain-ttft100-tps300")

    served = lab.wait_for(result.request_id)
    assert result.outcome == "ok"
    assert result.ttft_ms == pytest.approx((served.content_ns[0] - served.received_ns) / 1e6, abs=15)


def test_step_of_the_wall_clock_is_a_clock_fault(
    lab: Lab, probe: ProbeOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    true_offset, calls = sample_offset_ns(), iter((0, 3_000_000_000))
    monkeypatch.setattr(wire, "sample_offset_ns", lambda: true_offset + next(calls))

    result = probe(lab.url, "plain-ttft50-tps1000")

    assert result.outcome == "ok"
    assert (result.exclusion_reason, result.excluded_from) == ("clock_fault", "all")


def test_cold_connection_counts_its_set_up(probe: ProbeOnce) -> None:
    with ScriptedServer(answer_with(GOOD_STREAM, head=SSE)) as server:
        cold = probe(server.url, connection_kind="cold")

    assert cold.connection_kind == "cold"
    assert cold.ttft_ms is not None
    assert cold.tcp_ms is not None
    assert cold.ttft_ms > cold.tcp_ms


def test_refused_port_is_a_network_failure(probe: ProbeOnce) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        result = probe(f"http://127.0.0.1:{bound.getsockname()[1]}/v1")

    assert (result.outcome, result.detail, result.fault) == ("network", "connect", "network")
    assert "127.0.0.1" not in (result.message or "")


def test_name_without_address_is_a_dns_failure(probe: ProbeOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    result = probe("http://no-such-host.invalid/v1")

    assert (result.outcome, result.detail, result.fault) == ("network", "dns", "network")


@pytest.mark.parametrize(
    "bad", ["", "localhost:1/v1", "ftp://127.0.0.1/v1", "http://", "http://user:word@127.0.0.1/v1"]
)
def test_url_that_cannot_be_asked_is_ours(bad: str, probe: ProbeOnce) -> None:
    result = probe(bad)

    assert (result.outcome, result.detail, result.fault) == ("ours", "bad_url", "ours")
    assert "word" not in (result.message or "")


def test_key_that_is_no_header_is_ours_and_stays_unsaid(lab: Lab, probe: ProbeOnce) -> None:
    result = probe(lab.url, "plain", key="first-line\nsecond-line")

    assert (result.outcome, result.fault) == ("ours", "ours")
    assert "second-line" not in repr(result)
    assert not lab.served


def test_empty_key_is_a_missing_key(lab: Lab, probe: ProbeOnce) -> None:
    assert probe(lab.url, "plain", key=" ").detail == "missing_key"


def test_unknown_protocol_is_ours() -> None:
    result = asyncio.run(run_probe(Endpoint("telex", "http://127.0.0.1:1/v1", "m"), SHORT))

    assert result.outcome == "ours"
    assert "openai-chat" in (result.message or "")


@pytest.mark.parametrize("place", ["probes.sending.get_protocol", "probes.attempt.judge"])
def test_bug_of_our_own_becomes_a_result(
    place: str, lab: Lab, probe: ProbeOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError(KEY)

    monkeypatch.setattr(place, fail)

    result = probe(lab.url, "plain")

    assert (result.outcome, result.detail) == ("ours", "bug")
    assert KEY not in repr(result)


def test_redirect_is_not_followed_and_the_key_does_not_travel(probe: ProbeOnce) -> None:
    with ScriptedServer(answer_with(GOOD_STREAM, head=SSE)) as other:
        head = f"location: {other.url}/chat/completions\r\n"
        with ScriptedServer(answer_with(head=head, status=307)) as server:
            result = probe(server.url, key=KEY)

    assert (result.outcome, result.detail, result.http_status) == ("bad_request", "redirect", 307)
    assert other.connections == 0
    assert len(server.requests) == 1
    assert KEY not in repr(result)


def test_proxies_of_the_environment_are_not_used(probe: ProbeOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        ScriptedServer(answer_with(GOOD_STREAM, head=SSE)) as proxy,
        ScriptedServer(answer_with(GOOD_STREAM, head=SSE)) as server,
    ):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        result = probe(server.url)

    assert result.outcome == "ok"
    assert proxy.connections == 0


def test_request_says_who_asks_and_wants_no_coding(probe: ProbeOnce) -> None:
    with ScriptedServer(answer_with(GOOD_STREAM, head=SSE)) as server:
        result = probe(server.url, key=KEY)

    head = server.requests[0].partition(b"\r\n\r\n")[0].decode().lower()
    assert f"x-request-id: {result.request_id}" in head
    assert "accept-encoding: identity" in head
    assert f"authorization: bearer {KEY}" in head


@pytest.mark.skipif(not socket.has_ipv6, reason="the machine has no IPv6")
def test_ipv6_works(probe: ProbeOnce) -> None:
    with Lab(host="::1") as lab:
        assert probe(lab.url, "plain-ttft20-tps2000").outcome == "ok"


def test_name_is_resolved_and_timed(probe: ProbeOnce) -> None:
    with ScriptedServer(answer_with(GOOD_STREAM, head=SSE)) as server:
        result = probe(f"http://localhost:{server.port}/v1")

    assert result.outcome == "ok"
    assert result.dns_ms is not None
    assert result.dns_ms > 0


@pytest.mark.parametrize(
    ("body", "head", "expected"),
    [
        (zlib.compress(GOOD_STREAM), "content-encoding: deflate\r\n", ("ok", None)),
        (zlib.compress(GOOD_STREAM)[2:-4], "content-encoding: deflate\r\n", ("ok", None)),
        (GOOD_STREAM, "content-encoding: identity\r\n", ("ok", None)),
        (GOOD_STREAM, "content-encoding: gzip\r\n", ("stream_broken", "bad_body")),
        (GOOD_STREAM, "content-encoding: br\r\n", ("stream_broken", "bad_body")),
        (event("Hello"), "content-length: 99999\r\n", ("stream_broken", "reset")),
    ],
    ids=["zlib", "raw-deflate", "identity", "lying-gzip", "brotli", "short-body"],
)
def test_body_is_what_its_header_says(
    body: bytes, head: str, expected: tuple[str, str | None], probe: ProbeOnce
) -> None:
    with ScriptedServer(answer_with(body, head=SSE + head)) as server:
        result = probe(server.url)

    assert (result.outcome, result.detail) == expected


def test_two_gzip_members_are_one_body(probe: ProbeOnce) -> None:
    half = len(GOOD_STREAM) // 2
    packed = b""
    for part in (GOOD_STREAM[:half], GOOD_STREAM[half:]):
        packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        packed += packer.compress(part) + packer.flush()

    with ScriptedServer(answer_with(packed, head=SSE + "content-encoding: gzip\r\n")) as server:
        assert probe(server.url).outcome == "ok"


def test_bomb_goes_off_at_the_limit(probe: ProbeOnce) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(b" " * 1_000_000) for _ in range(200)) + packer.flush()
    limits = replace(QUICK, max_bytes=1_000_000)

    with ScriptedServer(answer_with(bomb, head=SSE + "content-encoding: gzip\r\n")) as server:
        result = probe(server.url, limits=limits)

    assert result.outcome == "too_large"


def test_flood_ends_at_the_limit(probe: ProbeOnce) -> None:
    def flood(sock: socket.socket, request: bytes) -> None:
        sock.sendall(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n")
        while True:
            sock.sendall(event("flood") * 50)

    with ScriptedServer(flood) as server:
        result = probe(server.url, limits=replace(QUICK, max_bytes=2_000_000))

    assert result.outcome == "too_large"
    assert result.answer_chars is not None
    assert result.answer_chars < 2_000_000


def test_event_without_end_is_too_large(probe: ProbeOnce) -> None:
    def pour(sock: socket.socket, request: bytes) -> None:
        sock.sendall(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\ndata: ")
        while True:
            sock.sendall(b"x" * 10_000)

    with ScriptedServer(pour) as server:
        result = probe(server.url, limits=replace(QUICK, max_event_bytes=100_000))

    assert result.outcome == "too_large"


def test_dripping_header_does_not_outlast_the_first_token_limit(probe: ProbeOnce) -> None:
    def drip(sock: socket.socket, request: bytes) -> None:
        for position in range(400):
            sock.sendall(b"HTTP/1.1 200 X\r\nx-slow: "[position : position + 1] or b"z")
            time.sleep(0.02)

    with ScriptedServer(drip) as server:
        result = probe(server.url, limits=Limits(first_token_s=0.5, idle_s=5, deadline_s=10))

    assert (result.outcome, result.detail) == ("timeout", "timeout_first_token")


def test_bytes_that_never_make_an_event_are_no_token(probe: ProbeOnce) -> None:
    def drip(sock: socket.socket, request: bytes) -> None:
        sock.sendall(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n: wait")
        while True:
            sock.sendall(b" and wait")
            time.sleep(0.02)

    with ScriptedServer(drip) as server:
        result = probe(server.url, limits=Limits(first_token_s=0.5, idle_s=5, deadline_s=10))

    assert (result.outcome, result.detail) == ("timeout", "timeout_first_token")


@pytest.mark.parametrize("first", [b"", event("Hi")], ids=["before-content", "after-content"])
@pytest.mark.parametrize("is_reset", [True, False], ids=["reset", "silence"])
def test_half_an_event_at_a_cut_is_not_a_broken_event(first: bytes, is_reset: bool, probe: ProbeOnce) -> None:
    def send_half(sock: socket.socket, request: bytes) -> None:
        sock.sendall(
            b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n" + first + b'data: {"choices":[{"ind'
        )
        if is_reset:
            time.sleep(0.05)  # let the bytes arrive before the reset drops them
            reset(sock)
        wait_for_close(sock)

    with ScriptedServer(send_half) as server:
        result = probe(server.url)

    silence = ("timeout", "stalled") if first else ("timeout", "timeout_first_token")
    assert (result.outcome, result.detail) == (("stream_broken", "reset") if is_reset else silence)


def test_one_deadline_holds_for_the_whole_probe(lab: Lab, probe: ProbeOnce) -> None:
    started = time.perf_counter()

    result = probe(lab.url, "endless-ttft20-tps100", limits=Limits(first_token_s=5, idle_s=5, deadline_s=0.8))

    assert (result.outcome, result.detail) == ("timeout", "timeout_total")
    assert time.perf_counter() - started < 2.5


def test_reset_before_the_answer_is_the_networks(probe: ProbeOnce) -> None:
    with ScriptedServer(lambda sock, request: reset(sock)) as server:
        result = probe(server.url)

    assert (result.outcome, result.detail, result.fault) == ("network", "reset", "network")


def test_answer_that_is_no_http_breaks(probe: ProbeOnce) -> None:
    with ScriptedServer(lambda sock, request: sock.sendall(b"SSH-2.0-OpenSSH\r\n")) as server:
        result = probe(server.url)

    assert result.outcome in {"network", "stream_broken"}


def test_early_refusal_of_a_large_upload_is_read(probe: ProbeOnce) -> None:
    def refuse(sock: socket.socket, request: bytes) -> None:
        sock.sendall(b"HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\n{}")
        wait_for_close(sock)

    endpoint_limits = replace(QUICK, first_token_s=3)
    with ScriptedServer(refuse, reads=False) as server:
        endpoint = Endpoint("openai-chat", server.url, "m")
        result = asyncio.run(run_probe(endpoint, get_workload("very-long"), limits=endpoint_limits))

    assert result.http_status == 413


def test_large_upload_to_a_slow_reader_arrives_whole() -> None:
    def read_slowly(sock: socket.socket, request: bytes) -> None:
        received = b""
        while b"are complete." not in received[-400:]:
            received += sock.recv(40_000)
            time.sleep(0.002)
        server.requests.append(received)
        answer_with(GOOD_STREAM, head=SSE)(sock, received)

    with ScriptedServer(read_slowly, reads=False) as server:
        endpoint = Endpoint("openai-chat", server.url, "m")
        result = asyncio.run(
            run_probe(endpoint, get_workload("very-long"), limits=replace(QUICK, first_token_s=6))
        )

    assert result.outcome == "ok"
    assert len(server.requests[-1]) > 400_000


def test_informational_answers_are_passed_over(probe: ProbeOnce) -> None:
    def hint(sock: socket.socket, request: bytes) -> None:
        sock.sendall(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n")
        answer_with(event("Hi"), ENDING, head=SSE)(sock, request)

    with ScriptedServer(hint) as server:
        assert probe(server.url).outcome == "ok"


def test_cancelling_closes_the_connection(lab: Lab) -> None:
    async def cancel_soon() -> None:
        endpoint = Endpoint("openai-chat", lab.url, "endless-ttft20-tps100")
        task = asyncio.create_task(run_probe(endpoint, SHORT))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_soon())

    assert lab.wait_for_requests(1)[-1].ending == "client left"


def test_collector_is_still_while_probing_and_back_after(lab: Lab) -> None:
    states: list[bool] = []

    async def watch() -> None:
        endpoint = Endpoint("openai-chat", lab.url, "plain-ttft80-tps2000")
        probes = [asyncio.create_task(run_probe(endpoint, SHORT, limits=QUICK)) for _ in range(2)]
        await asyncio.sleep(0.05)
        states.append(gc.isenabled())
        await asyncio.gather(*probes)

    asyncio.run(watch())

    assert states == [False]
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
def test_flood_does_not_fill_the_memory() -> None:
    def flood(sock: socket.socket, request: bytes) -> None:
        sock.sendall(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n")
        while True:
            sock.sendall(event("flood") * 50)

    script = (
        "import sys; from pathlib import Path; from probes.__main__ import main; code = main(sys.argv[1:]); "
        "status = Path('/proc/self/status').read_text(); "
        "print(int(status.partition('VmHWM:')[2].split()[0]) // 1024); sys.exit(code)"
    )
    with ScriptedServer(flood) as server:
        command = ["run", "--url", server.url, "--model", "m", "--requests", "1", "--max-bytes", "3000000"]
        done = subprocess.run(
            [sys.executable, "-c", script, *command],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )

    *shown, memory_mb = done.stdout.splitlines()
    assert any("too_large" in line for line in shown)
    assert int(memory_mb) < 100
