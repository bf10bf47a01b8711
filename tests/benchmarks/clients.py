"""The clients that are compared: the probe, a bare socket, and the httpx loop that everybody writes first."""

from __future__ import annotations

import asyncio
import sys
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import h11
import httpx

from probes.attempt import attempt_probe
from probes.endpoint import Endpoint, Limits
from probes.percentiles import percentile
from probes.protocols import Ask, prepare
from probes.reader import StreamReader
from probes.transport import make_tls_context
from probes.transport.answer import Answer
from probes.workloads import get_workload


@dataclass(frozen=True, slots=True)
class Row:
    """`streams` at once, each `tokens` at `tokens_per_s` after `ttft_ms`, `repeats` times one after another."""

    streams: int
    tokens_per_s: int
    tokens: int
    repeats: int
    ttft_ms: int = 200
    tls: bool = False

    @property
    def model(self) -> str:
        return f"steady-ttft{self.ttft_ms}-tps{self.tokens_per_s}-n{self.tokens}"

    @property
    def label(self) -> str:
        late = f", TTFT {self.ttft_ms / 1000:g} s" if self.ttft_ms != 200 else ""
        return f"{self.streams} × {self.tokens_per_s:,}{late}{', TLS' if self.tls else ''}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a client says about one request, ms and tokens/s."""

    request_id: str
    ttft_ms: float
    speed_tps: float
    gap_p50_ms: float
    gap_p95_ms: float
    chunks: int


def figures(request_id: str, start_ns: int, content_ns: Sequence[int]) -> Seen:
    gaps = [(late - early) / 1e6 for early, late in pairwise(content_ns)]
    window_ns = content_ns[-1] - content_ns[0]
    return Seen(
        request_id=request_id,
        ttft_ms=(content_ns[0] - start_ns) / 1e6,
        speed_tps=(len(content_ns) - 1) / window_ns * 1e9,
        gap_p50_ms=percentile(gaps, 0.5) or 0.0,
        gap_p95_ms=percentile(gaps, 0.95) or 0.0,
        chunks=len(content_ns),
    )


async def ask_with_probe(endpoint: Endpoint, row: Row) -> list[Seen]:
    workload = replace(get_workload("short"), max_output_tokens=row.tokens)
    attempts = await asyncio.gather(*(attempt_probe(endpoint, workload) for _ in range(row.streams)))
    seen = []
    while attempts:
        attempt = attempts.pop()
        result = attempt.judge()
        if result.outcome != "ok" or result.ttft_ms is None or result.output_speed_tps is None:
            sys.stderr.write(f"not ok: {result.outcome} {result.detail} {result.message}\n")
            continue
        gap50, gap95 = result.event_gap_p50_ms or 0.0, result.event_gap_p95_ms or 0.0
        seen.append(
            Seen(result.request_id, result.ttft_ms, result.output_speed_tps, gap50, gap95, result.chunks or 0)
        )
    return seen


Reads = list[tuple[int, bytes]]


async def ask_with_socket(endpoint: Endpoint, row: Row) -> list[Seen]:
    """Nothing but asyncio's own stream: the limit of what user space reaches."""

    async def ask() -> tuple[str, int, Reads]:
        request_id, head = uuid.uuid4().hex, make_request(endpoint, row)
        tls_context = make_tls_context() if row.tls else None
        reader, writer = await asyncio.open_connection(head.url.host, head.url.port, ssl=tls_context)
        lines = [f"POST {head.url.path} HTTP/1.1", f"x-request-id: {request_id}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in head.headers.items()]
        sent_ns = time.perf_counter_ns()
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + head.content)
        reads: Reads = []
        while data := await reader.read(65_536):
            reads.append((time.perf_counter_ns(), data))
        writer.close()
        return request_id, sent_ns, reads

    return [decode_http(*answer) for answer in await asyncio.gather(*(ask() for _ in range(row.streams)))]


async def ask_with_httpx(endpoint: Endpoint, row: Row) -> list[Seen]:
    """The loop that everybody writes first: one shared client."""
    timeout = httpx.Timeout(60)
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        timeout=timeout, limits=limits, trust_env=False, verify=make_tls_context()
    ) as client:

        async def ask() -> tuple[str, int, Reads]:
            request_id, request = uuid.uuid4().hex, make_request(endpoint, row)
            request.headers["x-request-id"] = request_id
            sent_ns = time.perf_counter_ns()
            response = await client.send(request, stream=True)
            reads: Reads = [(time.perf_counter_ns(), data) async for data in response.aiter_bytes()]
            await response.aclose()
            return request_id, sent_ns, reads

        answers = await asyncio.gather(*(ask() for _ in range(row.streams)))
    return [decode_body(*answer) for answer in answers]


def make_request(endpoint: Endpoint, row: Row) -> httpx.Request:
    ask = Ask(get_workload("short").write_prompt("0" * 18), row.tokens)
    prepared = prepare(endpoint, ask)
    return httpx.Request(prepared.method, prepared.url, headers=dict(prepared.headers), content=prepared.body)


def decode_http(request_id: str, sent_ns: int, reads: Reads) -> Seen:
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="POST", target="/", headers=[("host", "x"), ("content-length", "0")]))
    connection.send(h11.EndOfMessage())
    answer = Answer(connection, 1_000_000_000)
    for at_ns, data in reads:
        answer.feed(at_ns, data)
    return decode_body(request_id, sent_ns, [(chunk.at_ns, chunk.body) for chunk in answer.chunks])


def decode_body(request_id: str, sent_ns: int, reads: Reads) -> Seen:
    reader = StreamReader("openai-chat", {}, Limits(max_bytes=1_000_000_000))
    for at_ns, data in reads:
        reader.feed(data, at_ns)
    arrivals = reader.transcript.arrivals
    return figures(request_id, sent_ns, [arrival.at_ns for arrival in arrivals])
