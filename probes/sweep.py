"""A closed-loop sweep of concurrency: how fast one stream is, and how many tokens a second the whole endpoint makes.

At each level so many requests are kept in flight for a fixed phase. What counts is the window after the ramp, which
ends when each of the level's lanes has seen its first token; requests still open at the phase's end run out, and only
their tokens inside the window count. The sweep stops where a level adds less than five percent.
"""

from __future__ import annotations

import asyncio
import bisect
import datetime as dt
import ipaddress
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from probes.endpoint import Endpoint, Limits
from probes.exchange import Chunk
from probes.percentiles import percentile
from probes.result import ProbeResult
from probes.run import HELD_BYTES, Attempt, attempt_probe
from probes.transport.addresses import is_public_address, resolve
from probes.transport.failure import TransportError
from probes.workloads import Workload

DEFAULT_LEVELS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
DEFAULT_PHASE_S = 20.0
MIN_GAIN = 0.05
PARTS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One row: the columns of gpu_endpoints.csv that a sweep knows, and what it says about itself."""

    measured_at: dt.datetime
    workload: str
    concurrency: int
    samples_ok: int
    output_speed_tps_user_p50: float | None
    throughput_tps: float | None
    throughput_in_tps: float | None
    ttft_ms_p50: float | None
    ttft_ms_p95: float | None
    client_lag_ms: float | None
    """The worst lateness of our own event loop: above 5 ms the client may be what saturates."""
    requests: int
    window_s: float


@dataclass(frozen=True, slots=True)
class _Judged:
    """A result on the monotonic clock of its request."""

    lane: int
    sent_ns: int
    result: ProbeResult
    spread_ns: tuple[int, ...] = ()
    """When each equal part of the body had come, as a measure of when its tokens were made."""

    def at_ns(self, after_ms: float | None) -> int | None:
        return None if after_ms is None else self.sent_ns + int(after_ms * 1e6)


@dataclass(slots=True)
class _Phase:
    """What one level collects."""

    ends_ns: int
    held: list[tuple[int, Attempt]] = field(default_factory=list)
    held_bytes: int = 0
    judged: list[_Judged] = field(default_factory=list)

    def note(self, lane: int, attempt: Attempt) -> None:
        self.held.append((lane, attempt))
        self.held_bytes += attempt.body_bytes
        if self.held_bytes > HELD_BYTES:
            self.judge_held()

    def judge_held(self) -> None:
        held, self.held, self.held_bytes = self.held, [], 0
        self.judged += [
            _Judged(lane, attempt.exchange.sent_ns, attempt.judge(), _spread_of(attempt.exchange.chunks))
            for lane, attempt in held
        ]


async def run_sweep(
    endpoint: Endpoint,
    workload: Workload,
    *,
    levels: Iterable[int] = DEFAULT_LEVELS,
    phase_s: float = DEFAULT_PHASE_S,
    limits: Limits | None = None,
    stops_when_flat: bool = True,
    on_level: Callable[[Level], None] | None = None,
) -> list[Level]:
    """Levels in order until one adds less than five percent or none of its requests succeeds."""
    rows: list[Level] = []
    best_tps = 0.0
    for concurrency in levels:
        row = await run_level(endpoint, workload, concurrency=concurrency, phase_s=phase_s, limits=limits)
        rows.append(row)
        if on_level is not None:
            on_level(row)
        reached_tps = row.throughput_tps or 0.0
        if not row.samples_ok or (stops_when_flat and reached_tps < best_tps * (1 + MIN_GAIN)):
            break
        best_tps = max(best_tps, reached_tps)
    return rows


async def run_level(
    endpoint: Endpoint,
    workload: Workload,
    *,
    concurrency: int,
    phase_s: float,
    limits: Limits | None = None,
) -> Level:
    """Keep `concurrency` requests in flight for `phase_s` and let the last ones run out."""
    measured_at = dt.datetime.now(dt.UTC)
    start_ns = time.perf_counter_ns()
    phase = _Phase(ends_ns=start_ns + int(phase_s * 1e9))

    async def work(lane: int) -> None:
        while time.perf_counter_ns() < phase.ends_ns:
            attempt = await attempt_probe(endpoint, workload, limits=limits, concurrency=concurrency)
            phase.note(lane, attempt)
            if attempt.exchange.status is None:
                await asyncio.sleep(0.1)  # a refused connection must not become a flood of them

    async with asyncio.TaskGroup() as group:
        for lane in range(concurrency):
            group.create_task(work(lane))
    phase.judge_held()
    return _sum_up(phase, measured_at, start_ns, workload, concurrency)


def _sum_up(
    phase: _Phase, measured_at: dt.datetime, start_ns: int, workload: Workload, concurrency: int
) -> Level:
    ok = [one for one in phase.judged if one.result.outcome == "ok" and one.result.excluded_from != "all"]
    window = (_ramp_end_ns(phase.judged, start_ns, phase.ends_ns), phase.ends_ns)
    window_s = (window[1] - window[0]) / 1e9
    ttfts = [one.result.ttft_ms for one in _after_ramp(ok, window[0]) if one.result.ttft_ms is not None]
    speeds = [one.result.output_speed_tps for one in ok if one.result.output_speed_tps is not None]
    lags = [one.result.client_lag_ms for one in phase.judged if one.result.client_lag_ms is not None]
    produced = sum(_tokens_inside(one, window) for one in ok)
    read = sum(one.result.input_tokens or 0 for one in ok if window[0] <= (_first_ns(one) or 0) < window[1])
    return Level(
        measured_at=measured_at,
        workload=workload.slug,
        concurrency=concurrency,
        samples_ok=len(ok),
        output_speed_tps_user_p50=percentile(speeds, 0.5),
        throughput_tps=produced / window_s if produced and window_s > 0 else None,
        throughput_in_tps=read / window_s if ok and window_s > 0 else None,
        ttft_ms_p50=percentile(ttfts, 0.5),
        ttft_ms_p95=percentile(ttfts, 0.95),
        client_lag_ms=max(lags, default=None),
        requests=len(phase.judged),
        window_s=window_s,
    )


def _first_ns(one: _Judged) -> int | None:
    return one.at_ns(one.result.ttft_ms)


def _ramp_end_ns(judged: Sequence[_Judged], start_ns: int, end_ns: int) -> int:
    """When the slowest lane saw its first token; half the phase at the latest."""
    first_tokens: dict[int, int] = {}
    for one in judged:
        first_ns = _first_ns(one)
        if first_ns is not None:
            first_tokens[one.lane] = min(first_ns, first_tokens.get(one.lane, first_ns))
    return min(max(first_tokens.values(), default=start_ns), start_ns + (end_ns - start_ns) // 2)


def _after_ramp(ok: Sequence[_Judged], ramp_end_ns: int) -> Sequence[_Judged]:
    """Requests begun at full load; all of them where no request ended early enough for a second one."""
    return [one for one in ok if one.sent_ns >= ramp_end_ns] or ok


def _spread_of(chunks: Sequence[Chunk]) -> tuple[int, ...]:
    """Stamps at which each 64th of the bytes had arrived; the bodies themselves are not kept."""
    total = sum(len(chunk.body) for chunk in chunks)
    stamps: list[int] = []
    arrived = 0
    if not total:
        return ()
    for chunk in chunks:
        arrived += len(chunk.body)
        while len(stamps) < PARTS and arrived * PARTS >= total * (len(stamps) + 1):
            stamps.append(chunk.at_ns)
    return tuple(stamps)


def _tokens_inside(one: _Judged, window: tuple[int, int]) -> float:
    """The output tokens that fell into the window.

    A server that takes in another prompt makes everyone else wait, so tokens are spread as the body's bytes came and
    not evenly: over a window of a few answers the difference is several percent.
    """
    first_ns, last_ns = _first_ns(one), one.at_ns(one.result.last_token_ms)
    tokens = one.result.output_tokens
    if first_ns is None or last_ns is None or not tokens:
        return 0.0
    if last_ns <= first_ns:
        return float(tokens) if window[0] <= first_ns < window[1] else 0.0
    begun, over = (_share_by(one, first_ns, last_ns, moment) for moment in window)
    return tokens * (over - begun)


def _share_by(one: _Judged, first_ns: int, last_ns: int, moment_ns: int) -> float:
    """The share of the answer that was there at an instant."""
    if moment_ns <= first_ns:
        return 0.0
    if moment_ns >= last_ns:
        return 1.0
    part = bisect.bisect_right(one.spread_ns, moment_ns)
    before_ns = max(first_ns, one.spread_ns[part - 1]) if part else first_ns
    after_ns = min(last_ns, one.spread_ns[part]) if part < len(one.spread_ns) else last_ns
    parts = len(one.spread_ns) or 1
    inside = (moment_ns - before_ns) / (after_ns - before_ns) if after_ns > before_ns else 0.0
    return min(1.0, (part + min(1.0, inside)) / parts)


async def is_own_network(host: str, port: int) -> bool:
    """Whether a host may be loaded without asking: every address of it is loopback or private."""
    try:
        addresses = await resolve(host, port, public_only=False)
    except TransportError:
        return True  # nothing to load: the probes will say that the name does not resolve
    return all(_is_own(str(address.sockaddr[0])) for address in addresses)


def _is_own(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    return not is_public_address(text) and (
        address.is_private or address.is_loopback or address.is_link_local
    )
