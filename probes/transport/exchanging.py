"""The life of one exchange: open, send, wait, and decide when it is over."""

from __future__ import annotations

import asyncio
import ssl
import time
from typing import Protocol

import h11
import httpx

from probes.endpoint import Limits
from probes.exchange import Ending, Exchange
from probes.kernel_time import STEP_NS
from probes.loop_lag import LagWatch
from probes.protocols.protocol import PreparedRequest
from probes.still_memory import hold_memory_still
from probes.transport.answer import Answer
from probes.transport.connecting import ConnectTimes, Origin, open_wire
from probes.transport.failure import TransportError
from probes.transport.tls import make_tls_context
from probes.transport.wire import Wire

QUIET_NS = 500_000_000
"""A line silent for so long has time to spare for decoding; also how long we wait for a close after the last word."""
MOST_PATIENCE_NS = 2_000_000_000
"""A line that goes on talking is looked at ever more rarely, up to this: looking costs as much as reading."""
FINISHED_QUIET_NS = 2_000_000_000
"""After a finish reason usage may still come; a silence of this length says that it does not."""
PORTION = 32
PORTION_BYTES = 32_768
"""Reads decoded, at most, before other probes of the loop get their turn."""
SECOND_NS = 1_000_000_000
USER_AGENT = "provider-leaderboard-probe/1"
MAX_HEADER_BYTES = 102_400


class Watcher(Protocol):
    """What reads along, when the transport has time for it, to say how far the answer is."""

    @property
    def first_content_ns(self) -> int | None: ...

    @property
    def last_content_ns(self) -> int | None: ...

    @property
    def is_terminal(self) -> bool: ...

    @property
    def has_finished(self) -> bool: ...

    @property
    def oversized(self) -> bool: ...

    def feed(self, body: bytes, at_ns: int) -> None: ...


async def exchange_request(
    request: PreparedRequest,
    *,
    limits: Limits,
    watcher: Watcher,
    public_only: bool = False,
    counts_connecting: bool = False,
    tls_context: ssl.SSLContext | None = None,
) -> Exchange:
    """Send the request on a connection of its own and keep what comes back.

    `counts_connecting` starts the clock before the name is resolved (a cold sample), else just before the request's
    first byte is written. Cancelling it closes the connection.
    """
    return await _Exchanging(request, limits, watcher).run(
        public_only=public_only, counts_connecting=counts_connecting, tls_context=tls_context
    )


class _Exchanging:
    def __init__(self, request: PreparedRequest, limits: Limits, watcher: Watcher) -> None:
        self._request = request
        self._limits = limits
        self._watcher = watcher
        self._times = ConnectTimes()
        self._connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEADER_BYTES)
        self._answer = Answer(self._connection, limits.max_bytes)
        self._watched_chunks = 0
        self._watched_ns = 0
        self._patience_ns = QUIET_NS
        self._patient_until_ns = 0
        self._look_at_bytes = min(limits.max_event_bytes, limits.max_bytes)
        self._start_ns = time.perf_counter_ns()
        self._sent_ns = self._start_ns
        self._deadline_ns = self._start_ns + int(limits.deadline_s * SECOND_NS)
        self._lag_ms: float | None = None

    async def run(
        self, *, public_only: bool, counts_connecting: bool, tls_context: ssl.SSLContext | None
    ) -> Exchange:
        try:
            url, request = _serialise(self._request, self._connection)
            tls_context = tls_context or (make_tls_context() if url.scheme == "https" else None)
            self._start_ns = self._sent_ns = time.perf_counter_ns()
            self._deadline_ns = self._start_ns + int(self._limits.deadline_s * SECOND_NS)
            wire = await self._open(Origin(*_origin_parts(url), public_only), tls_context)
        except TransportError as error:
            return self._finish(error.ending, time.perf_counter_ns(), error.text)
        try:
            return await self._converse(wire, request, counts_connecting=counts_connecting)
        finally:
            wire.close()

    async def _open(self, origin: Origin, tls_context: ssl.SSLContext | None) -> Wire:
        try:
            async with asyncio.timeout(self._limits.deadline_s):
                return await open_wire(origin, self._times, tls_context)
        except TimeoutError:
            raise TransportError(Ending.CONNECT, "the connection did not open before the deadline") from None

    async def _converse(self, wire: Wire, request: bytes, *, counts_connecting: bool) -> Exchange:
        lag = LagWatch()
        with hold_memory_still():
            lag.start()
            written_ns = wire.send(request)
            self._sent_ns = self._start_ns if counts_connecting else written_ns
            try:
                ending, ended_ns, error = await self._follow(wire)
            finally:
                self._lag_ms = lag.stop()
        return self._finish(ending, ended_ns, error, wire)

    async def _follow(self, wire: Wire) -> tuple[Ending, int, str | None]:
        """Sleep until something is worth a look, look, and decide."""
        while True:
            due_ns = self._next_look_ns(wire)
            await wire.wait_until(due_ns)
            is_look_due = self._is_look_due(wire)
            if not is_look_due and (now_ns := time.perf_counter_ns()) >= due_ns:
                self._patience_ns = min(2 * self._patience_ns, MOST_PATIENCE_NS)
                self._patient_until_ns = now_ns + self._patience_ns
            if is_look_due or wire.ended_ns is not None or wire.is_hinted or not self._answer.is_streamed:
                await self._decode(wire)
            if is_look_due and self._answer.ending is None:
                await self._watch(wire)
                await _let_reads_in()
            over = self._is_over(wire)
            if over is not None:
                return over
            wire.wakes_at_bytes = self._next_wake_bytes(wire)

    def _next_look_ns(self, wire: Wire) -> int:
        due_ns = min(self._deadline_ns, self._limit_ns())
        if self._watcher.is_terminal:
            due_ns = min(due_ns, wire.last_read_ns + QUIET_NS)
        elif self._has_pending(wire):
            due_ns = min(due_ns, max(wire.last_read_ns + QUIET_NS, self._patient_until_ns))
        if self._watcher.has_finished:
            due_ns = min(due_ns, wire.last_read_ns + FINISHED_QUIET_NS)
        return due_ns

    def _has_pending(self, wire: Wire) -> bool:
        return bool(wire.reads) or self._watched_chunks < len(self._answer.chunks)

    def _limit_ns(self) -> int:
        """When silence becomes a timeout, by what is decoded so far."""
        last_ns = self._watcher.last_content_ns
        if last_ns is None:
            return self._sent_ns + int(self._limits.first_token_s * SECOND_NS)
        return last_ns + int(self._limits.idle_s * SECOND_NS)

    def _is_look_due(self, wire: Wire) -> bool:
        now_ns = time.perf_counter_ns()
        is_quiet = now_ns - wire.last_read_ns >= QUIET_NS and self._has_pending(wire)
        return (
            is_quiet
            or now_ns >= min(self._limit_ns(), self._deadline_ns)
            or wire.raw_bytes >= self._look_at_bytes
        )

    def _next_wake_bytes(self, wire: Wire) -> int:
        """Every read of a short answer; the first read after a silence; else only a size that a limit could mind."""
        if not self._answer.is_streamed:
            return 0
        return self._look_at_bytes if self._has_pending(wire) else wire.raw_bytes + 1

    async def _decode(self, wire: Wire) -> None:
        """HTTP only, in portions, so that a neighbour's packet does not wait long for its stamp."""
        while self._answer.ending is None and (reads := wire.take_reads(PORTION)):
            for at_ns, data in reads:
                self._answer.feed(at_ns, data)
            if wire.reads:
                await asyncio.sleep(0)
        if wire.ended_ns is not None and not wire.reads and wire.error is None:
            self._answer.feed(wire.ended_ns, b"")

    async def _watch(self, wire: Wire) -> None:
        """Let the watcher read along with what is decoded; the portions are as in `_decode`."""
        self._look_at_bytes = wire.raw_bytes + min(self._limits.max_event_bytes, self._limits.max_bytes)
        chunks = self._answer.chunks
        portion, portion_bytes = 0, 0
        while self._watched_chunks < len(chunks):
            chunk = chunks[self._watched_chunks]
            self._watched_chunks += 1
            self._watched_ns = chunk.at_ns
            if self._answer.is_success:
                self._watcher.feed(chunk.body, chunk.at_ns)
            portion, portion_bytes = portion + 1, portion_bytes + len(chunk.body)
            if portion >= PORTION or portion_bytes >= PORTION_BYTES:
                portion, portion_bytes = 0, 0
                await asyncio.sleep(0)

    def _is_over(self, wire: Wire) -> tuple[Ending, int, str | None] | None:
        answer, watcher, now_ns = self._answer, self._watcher, time.perf_counter_ns()
        quiet_ns = now_ns - wire.last_read_ns
        if answer.ending is not None:
            return answer.ending, answer.ended_ns, answer.error
        if wire.ended_ns is not None:
            return Ending.RESET, wire.ended_ns, wire.error
        if watcher.oversized:
            return Ending.TOO_LARGE, now_ns, "a body or an event is over its limit"
        if (watcher.is_terminal and quiet_ns >= QUIET_NS) or (
            watcher.has_finished and quiet_ns >= FINISHED_QUIET_NS
        ):
            return Ending.TERMINAL, now_ns, None
        if now_ns >= self._deadline_ns:
            return Ending.TIMEOUT_TOTAL, now_ns, "the answer did not end before the deadline"
        # What has come and is not read yet may hold tokens: silence is judged up to the last chunk that was read.
        read_until_ns = self._watched_ns if self._has_pending(wire) else now_ns
        if read_until_ns >= self._limit_ns() and not watcher.has_finished:
            return self._silence(now_ns)
        return None

    def _silence(self, now_ns: int) -> tuple[Ending, int, str | None]:
        if self._watcher.first_content_ns is None:
            return Ending.TIMEOUT_FIRST_TOKEN, now_ns, "no token came within the first-token limit"
        return Ending.STALLED, now_ns, "no token came within the idle limit"

    def _finish(self, ending: Ending, ended_ns: int, error: str | None, wire: Wire | None = None) -> Exchange:
        answer, times = self._answer, self._times
        return Exchange(
            sent_ns=self._sent_ns,
            ended_ns=ended_ns,
            ending=ending,
            status=answer.status,
            headers=answer.headers,
            chunks=tuple(answer.chunks),
            error=error,
            headers_ns=answer.headers_ns,
            dns_ms=times.dns_ms,
            tcp_ms=times.tcp_ms,
            tls_ms=times.tls_ms,
            client_lag_ms=self._lag_ms,
            clock_stepped=wire is not None and wire.has_kernel_stamps and wire.offset_step_ns() > STEP_NS,
            kernel_stamped=wire is not None and wire.is_kernel_stamped,
        )


async def _let_reads_in() -> None:
    """Two turns of the loop: one finds out which sockets can be read, the next one has read them."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


def _origin_parts(url: httpx.URL) -> tuple[str, int, bool]:
    is_tls = url.scheme == "https"
    return url.raw_host.decode("ascii").strip("[]"), url.port or (443 if is_tls else 80), is_tls


def _serialise(request: PreparedRequest, connection: h11.Connection) -> tuple[httpx.URL, bytes]:
    """The URL and the request's bytes. Raises TransportError(OURS); the text names no header's value."""
    try:
        url = httpx.URL(request.url)
        headers = {"user-agent": USER_AGENT, "accept-encoding": "identity", **request.headers}
        built = httpx.Request(request.method, url, headers=headers, content=request.body)
    except (httpx.InvalidURL, ValueError, TypeError):
        raise TransportError(Ending.OURS, "the URL or a header cannot be sent") from None
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo:
        raise TransportError(
            Ending.OURS, "the URL must be http:// or https:// with a host and without a user name"
        )
    return url, _to_bytes(built, connection)


def _to_bytes(request: httpx.Request, connection: h11.Connection) -> bytes:
    try:
        head = connection.send(
            h11.Request(method=request.method, target=request.url.raw_path, headers=request.headers.raw)
        )
        body = connection.send(h11.Data(data=request.content))
        end = connection.send(h11.EndOfMessage())
    except h11.LocalProtocolError:
        raise TransportError(Ending.OURS, "a header is not valid HTTP (a key with a line break?)") from None
    return (head or b"") + (body or b"") + (end or b"")
