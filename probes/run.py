"""run_probe: one request measured, whatever happens; run_probes: many of them in a closed loop.

Nothing here raises for what an endpoint does or how it was described: a bad URL, a missing key and a bug of our own
end as results with the outcome `ours`. There are no retries: a retry is another probe. Cancelling closes the
connection and gives no result.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Unpack

from probes.attempt import Attempt, ProbeOptions, attempt_probe
from probes.endpoint import Endpoint, Limits
from probes.result import ProbeResult
from probes.workloads import Workload

HELD_BYTES = 32_000_000
"""Bodies kept undecoded while other probes of the same run still stream."""


async def run_probe(endpoint: Endpoint, workload: Workload, **options: Unpack[ProbeOptions]) -> ProbeResult:
    """Measure one request."""
    attempt = await attempt_probe(endpoint, workload, **options)
    return attempt.judge()


def run_probe_blocking(
    endpoint: Endpoint, workload: Workload, **options: Unpack[ProbeOptions]
) -> ProbeResult:
    """run_probe for callers without an event loop."""
    return asyncio.run(run_probe(endpoint, workload, **options))


async def run_probes(
    endpoint: Endpoint,
    workload: Workload,
    *,
    requests: int,
    concurrency: int = 1,
    limits: Limits | None = None,
    connection_kind: str = "warm",
    tls_context: ssl.SSLContext | None = None,
    on_end: Callable[[], None] | None = None,
    on_result: Callable[[ProbeResult], None] | None = None,
) -> list[ProbeResult]:
    """`requests` probes, `concurrency` at a time, each begun when one ends (a closed loop).

    `on_end` is called when an exchange is over, `on_result` when it is judged: at once where nothing else is being
    timed, else when the run ends. When cancelled, what has ended is judged before the cancellation goes on.
    """
    run = _Run(on_end, on_result)

    async def work() -> None:
        while run.take(requests):
            attempt = await attempt_probe(
                endpoint,
                workload,
                limits=limits,
                concurrency=concurrency,
                connection_kind=connection_kind,
                tls_context=tls_context,
            )
            run.note(attempt)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, requests)):
                group.create_task(work())
    finally:
        run.judge_held()
    return run.results


async def run_workload(
    endpoint: Endpoint,
    workload: Workload,
    *,
    limits: Limits | None = None,
    connection_kind: str = "warm",
    tls_context: ssl.SSLContext | None = None,
) -> list[ProbeResult]:
    """One measurement of the workload: one probe, or as many at once as it asks for."""
    return await run_probes(
        endpoint,
        workload,
        requests=workload.concurrency,
        concurrency=workload.concurrency,
        limits=limits,
        connection_kind=connection_kind,
        tls_context=tls_context,
    )


class _Run:
    """Counts what is begun and holds ended attempts until judging them disturbs nobody."""

    def __init__(
        self, on_end: Callable[[], None] | None, on_result: Callable[[ProbeResult], None] | None
    ) -> None:
        self._on_end = on_end
        self._on_result = on_result
        self._begun = 0
        self._in_flight = 0
        self._held: list[Attempt] = []
        self._held_bytes = 0
        self.results: list[ProbeResult] = []

    def take(self, requests: int) -> bool:
        """Claim the next request; False when all are claimed."""
        if self._begun >= requests:
            return False
        self._begun += 1
        self._in_flight += 1
        return True

    def note(self, attempt: Attempt) -> None:
        self._in_flight -= 1
        self._held.append(attempt)
        self._held_bytes += attempt.body_bytes
        if self._on_end is not None:
            self._on_end()
        if not self._in_flight or self._held_bytes > HELD_BYTES:
            self.judge_held()

    def judge_held(self) -> None:
        held, self._held, self._held_bytes = self._held, [], 0
        for attempt in held:
            result = attempt.judge()
            self.results.append(result)
            if self._on_result is not None:
                self._on_result(result)
