"""A closed-loop sweep of concurrency: how fast one stream is, and how many tokens a second the whole endpoint makes.

At each level so many requests are kept in flight for a fixed phase. What counts is the window after the ramp, which
ends when each of the level's lanes has seen its first token; requests still open at the phase's end run out, and only
their tokens inside the window count. The sweep stops where a level adds less than five percent.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from probes.attempt import Attempt, attempt_probe
from probes.endpoint import Endpoint, Limits
from probes.level import Level, LevelSample, Window, sum_up
from probes.level_window import Judged, ramp_end_ns, spread_of, time_inside, tokens_inside
from probes.run import HELD_BYTES
from probes.transport.addresses import is_public_address, resolve
from probes.transport.failure import TransportError
from probes.workloads import Workload

DEFAULT_LEVELS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
DEFAULT_PHASE_S = 20.0
MIN_GAIN = 0.05
FOREIGN_MOST_AT_ONCE = 8
FOREIGN_PHASE_S = 20.0
"""How hard somebody else's endpoint may be loaded, with its owner's word."""


@dataclass(slots=True)
class _Phase:
    """What one level collects."""

    ends_ns: int
    held: list[tuple[int, Attempt]] = field(default_factory=list)
    held_bytes: int = 0
    judged: list[Judged] = field(default_factory=list)

    def note(self, lane: int, attempt: Attempt) -> None:
        self.held.append((lane, attempt))
        self.held_bytes += attempt.body_bytes
        if self.held_bytes > HELD_BYTES:
            self.judge_held()

    def judge_held(self) -> None:
        held, self.held, self.held_bytes = self.held, [], 0
        self.judged += [
            Judged(lane, attempt.exchange.sent_ns, attempt.judge(), spread_of(attempt.exchange.chunks))
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
    return _level_of(phase, measured_at, start_ns, workload, concurrency)


def _level_of(
    phase: _Phase, measured_at: dt.datetime, start_ns: int, workload: Workload, concurrency: int
) -> Level:
    window_ns = (ramp_end_ns(phase.judged, start_ns, phase.ends_ns), phase.ends_ns)
    in_order = sorted(phase.judged, key=lambda one: one.sent_ns)
    return sum_up(
        [
            LevelSample(
                lane=one.lane,
                sent_ms=(one.sent_ns - start_ns) / 1e6,
                window_share=time_inside(one, window_ns),
                window_tokens=tokens_inside(one, window_ns),
                result=one.result,
            )
            for one in in_order
        ],
        Window(from_ms=(window_ns[0] - start_ns) / 1e6, to_ms=(window_ns[1] - start_ns) / 1e6),
        measured_at=measured_at,
        workload=workload.slug,
        concurrency=concurrency,
    )


def within_foreign_cap(levels: Iterable[int]) -> tuple[int, ...]:
    """The levels that somebody else's endpoint may be asked for; one at a time where all are above the cap."""
    return tuple(level for level in levels if level <= FOREIGN_MOST_AT_ONCE) or (1,)


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
