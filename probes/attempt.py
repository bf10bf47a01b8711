"""One request as it went over the wire, and its judgement, which can wait until nothing is being timed."""

from __future__ import annotations

import datetime as dt
import ssl
import uuid
from dataclasses import dataclass, field, replace
from typing import TypedDict, Unpack

from probes.endpoint import Endpoint, Limits
from probes.exchange import Exchange
from probes.judge import judge
from probes.kernel_time import hold_stamping
from probes.protocols import Ask
from probes.reference_tokenizer import count_elsewhere
from probes.reference_tokenizer import warm_up as load_tokenizer
from probes.result import ProbeResult
from probes.sending import Sending, describe_bug
from probes.transport import make_tls_context
from probes.workloads import Workload, make_nonce

PRIMING_OUTPUT_TOKENS = 16


class ProbeOptions(TypedDict, total=False):
    """What may be said about one probe besides its endpoint and workload."""

    limits: Limits | None
    request_id: str | None
    nonce: str | None
    concurrency: int
    """Only recorded."""
    connection_kind: str
    """"cold" counts the connection's set-up, "warm" does not."""
    tls_context: ssl.SSLContext | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """Not judged yet; holds the whole body."""

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
                message=describe_bug(error),
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


async def attempt_probe(endpoint: Endpoint, workload: Workload, **options: Unpack[ProbeOptions]) -> Attempt:
    """The timed half of a probe. A warm-cache workload sends its prompt once, unmeasured, before."""
    if not _is_warm:
        warm_up()
    limits = options.get("limits") or Limits()
    request_id = options.get("request_id") or uuid.uuid4().hex
    connection_kind = options.get("connection_kind", "warm")
    ask = Ask(
        prompt=workload.write_prompt(options.get("nonce") or make_nonce()),
        max_output_tokens=workload.max_output_tokens,
        temperature=workload.temperature,
        request_id=request_id,
    )
    sending = Sending(endpoint, limits, connection_kind == "cold", options.get("tls_context"))
    if workload.is_warm_cache:
        await sending.send(replace(ask, max_output_tokens=PRIMING_OUTPUT_TOKENS, request_id=None))
    started_at = dt.datetime.now(dt.UTC)
    exchange, ours_detail = await sending.send(ask)
    return Attempt(
        endpoint=endpoint,
        workload=workload,
        limits=limits,
        request_id=request_id,
        started_at=started_at,
        concurrency=options.get("concurrency", 1),
        connection_kind=connection_kind,
        exchange=exchange,
        ours_detail=ours_detail,
    )
