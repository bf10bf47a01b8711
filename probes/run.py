"""run_probe: one request measured, whatever happens; run_probes: many of them in a closed loop.

Nothing here raises for what an endpoint does or how it was described: a bad URL, a missing key and a bug of our own
end as results with the outcome `ours`. There are no retries: a retry is another probe. Cancelling closes the
connection and gives no result.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import ssl
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from probes.endpoint import Endpoint, Limits
from probes.exchange import Ending, Exchange
from probes.judge import judge
from probes.kernel_time import hold_stamping
from probes.protocols import Ask, CannotAskError, PreparedRequest, get_protocol, prepare
from probes.reader import StreamReader
from probes.reference_tokenizer import count_elsewhere
from probes.reference_tokenizer import warm_up as load_tokenizer
from probes.result import ProbeResult
from probes.transport import exchange_request, make_tls_context
from probes.workloads import Workload, make_nonce

logger = logging.getLogger(__name__)

PRIMING_OUTPUT_TOKENS = 16
HELD_BYTES = 32_000_000
"""Bodies kept undecoded while other probes of the same run still stream."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request as it went over the wire, not judged yet: judging can wait until nothing is being timed."""

    endpoint: Endpoint
    workload: Workload
    limits: Limits
    request_id: str
    started_at: dt.datetime
    concurrency: int
    connection_kind: str
    exchange: Exchange = field(repr=False)
    ours_detail: str | None = None
    """What was wrong on our side, where it was."""

    @property
    def body_bytes(self) -> int:
        return sum(len(chunk.body) for chunk in self.exchange.chunks)

    def judge(self) -> ProbeResult:
        """CPU-bound: some ms for a thousand events. A bug in judging ends as a result too."""
        try:
            result = self._judge()
        except Exception as error:  # the edge where a bug becomes a result that alarms
            return ProbeResult(
                request_id=self.request_id,
                started_at=self.started_at,
                workload=self.workload.slug,
                workload_version=self.workload.version,
                concurrency=self.concurrency,
                connection_kind=self.connection_kind,
                outcome="ours",
                detail="bug",
                fault="ours",
                message=_describe_bug(error),
            )
        return replace(result, detail=self.ours_detail) if self.ours_detail else result

    def _judge(self) -> ProbeResult:
        return judge(
            self.exchange,
            endpoint=self.endpoint,
            workload_slug=self.workload.slug,
            workload_version=self.workload.version,
            request_id=self.request_id,
            started_at=self.started_at,
            connection_kind=self.connection_kind,
            concurrency=self.concurrency,
            limits=self.limits,
            max_output_tokens=self.workload.max_output_tokens,
        )


def _describe_bug(error: Exception) -> str:
    """Kind and place only: the text of an unforeseen error could quote a header."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{place.tb_frame.f_code.co_name}:{place.tb_lineno}" if place is not None else "?"
    logger.error("probe ended on a bug of ours: %s in %s", type(error).__name__, where)
    return f"a bug of ours: {type(error).__name__} in {where}"


_is_warm = False


def warm_up(*, counts_elsewhere: bool = False) -> None:
    """Pay once for what a process pays once, before anything is measured; the first probe does it if nobody has.

    `counts_elsewhere` keeps the tokenizer in a child process.
    """
    global _is_warm
    if counts_elsewhere:
        count_elsewhere()
    hold_stamping()
    load_tokenizer()
    make_tls_context()
    _is_warm = True


async def run_probe(
    endpoint: Endpoint,
    workload: Workload,
    *,
    limits: Limits | None = None,
    request_id: str | None = None,
    nonce: str | None = None,
    concurrency: int = 1,
    connection_kind: str = "warm",
    tls_context: ssl.SSLContext | None = None,
) -> ProbeResult:
    """Measure one request. `concurrency` is only recorded; `connection_kind` "cold" counts the connection's set-up.

    A warm-cache workload sends its prompt once, unmeasured, before the request that counts.
    """
    attempt = await attempt_probe(
        endpoint,
        workload,
        limits=limits,
        request_id=request_id,
        nonce=nonce,
        concurrency=concurrency,
        connection_kind=connection_kind,
        tls_context=tls_context,
    )
    return attempt.judge()


def run_probe_blocking(
    endpoint: Endpoint,
    workload: Workload,
    *,
    limits: Limits | None = None,
    request_id: str | None = None,
    nonce: str | None = None,
    concurrency: int = 1,
    connection_kind: str = "warm",
    tls_context: ssl.SSLContext | None = None,
) -> ProbeResult:
    """run_probe for callers without an event loop."""
    return asyncio.run(
        run_probe(
            endpoint,
            workload,
            limits=limits,
            request_id=request_id,
            nonce=nonce,
            concurrency=concurrency,
            connection_kind=connection_kind,
            tls_context=tls_context,
        )
    )


async def attempt_probe(
    endpoint: Endpoint,
    workload: Workload,
    *,
    limits: Limits | None = None,
    request_id: str | None = None,
    nonce: str | None = None,
    concurrency: int = 1,
    connection_kind: str = "warm",
    tls_context: ssl.SSLContext | None = None,
) -> Attempt:
    """The timed half of run_probe."""
    if not _is_warm:
        warm_up()
    limits = limits or Limits()
    request_id = request_id or uuid.uuid4().hex
    ask = Ask(
        prompt=workload.write_prompt(nonce or make_nonce()),
        max_output_tokens=workload.max_output_tokens,
        temperature=workload.temperature,
        request_id=request_id,
    )
    exchanging = _Sending(endpoint, limits, connection_kind == "cold", tls_context)
    if workload.is_warm_cache:
        await exchanging.send(replace(ask, max_output_tokens=PRIMING_OUTPUT_TOKENS, request_id=None))
    started_at = dt.datetime.now(dt.UTC)
    exchange, ours_detail = await exchanging.send(ask)
    return Attempt(
        endpoint=endpoint,
        workload=workload,
        limits=limits,
        request_id=request_id,
        started_at=started_at,
        concurrency=concurrency,
        connection_kind=connection_kind,
        exchange=exchange,
        ours_detail=ours_detail,
    )


@dataclass(frozen=True, slots=True)
class _Sending:
    endpoint: Endpoint
    limits: Limits
    counts_connecting: bool
    tls_context: ssl.SSLContext | None

    async def send(self, ask: Ask) -> tuple[Exchange, str | None]:
        """The exchange, and what was wrong on our side."""
        try:
            if self.endpoint.api_key is not None and not self.endpoint.api_key.strip():
                return _never_sent("the key is empty: set the variable that holds it"), "missing_key"
            request = prepare(self.endpoint, ask)
            exchange = await self._exchange(request)
        except CannotAskError as error:
            return _never_sent(str(error)), "cannot_ask"
        except Exception as error:  # the edge where a bug becomes a result that alarms
            return _never_sent(_describe_bug(error)), "bug"
        return exchange, "bad_url" if exchange.ending is Ending.OURS else None

    async def _exchange(self, request: PreparedRequest) -> Exchange:
        get_protocol(self.endpoint.protocol)
        return await exchange_request(
            request,
            limits=self.limits,
            watcher=StreamReader(self.endpoint.protocol, limits=self.limits),
            public_only=self.endpoint.public_only,
            counts_connecting=self.counts_connecting,
            tls_context=self.tls_context,
        )


def _never_sent(text: str) -> Exchange:
    now_ns = time.perf_counter_ns()
    return Exchange(sent_ns=now_ns, ended_ns=now_ns, ending=Ending.OURS, error=text)


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
