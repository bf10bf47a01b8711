"""judge: one exchange in, one ProbeResult out; the only place outcome, metrics, flags and exclusions come from.

    judge(exchange, *, endpoint, workload_slug, workload_version, request_id, started_at,
          connection_kind="warm", concurrency=1, limits=None, max_output_tokens=None,
          expects_stream=True, expects_cache=False) -> ProbeResult

It never raises for what a server sent, and no key, Authorization value or address reaches its message.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass

from probes import metrics
from probes.endpoint import Endpoint, Limits
from probes.exchange import Ending, Exchange
from probes.exclusions import find_exclusion, is_cache_hit, is_wrong_model
from probes.failures import Verdict
from probes.reader import StreamReader
from probes.redaction import clean_message
from probes.result import ProbeResult
from probes.retry_after import parse_http_date, parse_retry_after
from probes.timeline import Timeline, build_timeline
from probes.token_counts import TokenCounts, count_tokens
from probes.transcript import Transcript
from probes.verdicts import decide, read_error_body

BUDGET_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "incomplete", "model_length"})
WARM_CACHE_WORKLOAD = "warm-cache"


@dataclass(frozen=True, slots=True)
class Reading:
    """An exchange decoded: what was said, and whether it went over a size limit."""

    transcript: Transcript
    is_oversized: bool = False


def read_exchange(exchange: Exchange, *, protocol: str, limits: Limits | None = None) -> Reading:
    """Decode the body of a 2xx answer; any other status has an empty transcript."""
    if exchange.status is None or not 200 <= exchange.status < 300:
        return Reading(Transcript())
    reader = StreamReader(protocol, exchange.headers, limits)
    at_ns = exchange.ended_ns
    for chunk in exchange.chunks:
        reader.feed(chunk.body, chunk.at_ns)
        at_ns = chunk.at_ns
    is_whole = exchange.ending in {Ending.CLOSED, Ending.TERMINAL}
    return Reading(reader.finish(at_ns, is_whole=is_whole), reader.oversized)


def judge(
    exchange: Exchange,
    *,
    endpoint: Endpoint,
    workload_slug: str,
    workload_version: int,
    request_id: str,
    started_at: dt.datetime,
    connection_kind: str = "warm",
    concurrency: int = 1,
    limits: Limits | None = None,
    max_output_tokens: int | None = None,
    expects_stream: bool = True,
    reading: Reading | None = None,
) -> ProbeResult:
    """`started_at` is aware UTC; `reading` saves decoding twice where the caller needs the transcript as well.

    Long on purpose: the second half is the row, one line a column, each from one function.
    """
    reading = reading or read_exchange(exchange, protocol=endpoint.protocol, limits=limits)
    transcript = reading.transcript
    verdict = decide(exchange, transcript, is_oversized=reading.is_oversized, expects_stream=expects_stream)
    is_ok = verdict.outcome == "ok"
    timeline = build_timeline(
        transcript, sent_ns=exchange.sent_ns, ended_ns=_find_end(exchange, transcript) if is_ok else None
    )
    counts = count_tokens(transcript, timeline)
    exclusion = find_exclusion(
        exchange, transcript, timeline, counts,
        endpoint=endpoint, is_ok=is_ok, expects_cache=workload_slug == WARM_CACHE_WORKLOAD,
    )  # fmt: skip
    usage = transcript.usage
    speed = metrics.output_speed_tps(timeline, counts) if is_ok else None
    answer_speed = metrics.answer_speed_tps(timeline, counts) if is_ok else None
    is_hidden = transcript.has_hidden_reasoning
    ttfat = metrics.ttfat_ms(timeline)
    return ProbeResult(
        request_id=request_id,
        started_at=started_at,
        workload=workload_slug,
        workload_version=workload_version,
        concurrency=concurrency,
        connection_kind=connection_kind,
        outcome=verdict.outcome,
        detail=verdict.detail,
        fault=verdict.fault,
        message=clean_message(verdict.message, secret=endpoint.api_key),
        http_status=exchange.status,
        finish_reason=clean_message(transcript.finish_reason, secret=endpoint.api_key),
        retry_after_s=_find_retry_after(exchange, transcript, started_at) if not is_ok else None,
        flags=_collect_flags(verdict, transcript, timeline, counts, endpoint, max_output_tokens),
        input_tokens=usage.input_tokens if usage else None,
        cached_input_tokens=usage.cached_input_tokens if usage else None,
        output_tokens=counts.output,
        reasoning_tokens=counts.reasoning,
        reference_tokens=counts.reference,
        token_source=counts.source,
        first_chunk_tokens=metrics.first_chunk_tokens(timeline, counts),
        dns_ms=exchange.dns_ms,
        tcp_ms=exchange.tcp_ms,
        tls_ms=exchange.tls_ms,
        connect_ms=_add_up(exchange),
        connection_reused=exchange.connection_reused,
        headers_ms=_find_headers_ms(exchange),
        ttft_ms=metrics.ttft_ms(timeline),
        ttfat_ms=ttfat,
        thinking_ms=metrics.thinking_ms(timeline, counts, is_hidden=is_hidden),
        last_token_ms=metrics.last_token_ms(timeline),
        end_to_end_ms=metrics.end_to_end_ms(timeline),
        response_time_500_ms=metrics.response_time_500_ms(ttfat, answer_speed),
        output_speed_tps=speed,
        answer_speed_tps=answer_speed,
        inter_token_ms=metrics.inter_token_ms(speed),
        event_gap_p50_ms=metrics.event_gap_ms(timeline, 0.5),
        event_gap_p95_ms=metrics.event_gap_ms(timeline, 0.95),
        chunks=len(timeline.events),
        content_deltas=transcript.content_deltas,
        reasoning_deltas=transcript.reasoning_deltas,
        tool_call_deltas=transcript.tool_call_deltas,
        largest_chunk_share=metrics.largest_chunk_share(timeline),
        answer_chars=len(transcript.answer),
        answer_sha256_16=hash_text(transcript.answer),
        reasoning_chars=len(transcript.reasoning),
        served_model=clean_message(transcript.served_model, secret=endpoint.api_key),
        served_provider=clean_message(transcript.served_provider, secret=endpoint.api_key),
        server_timing=transcript.server_timing or None,
        client_lag_ms=exchange.client_lag_ms,
        excluded=exclusion is not None,
        exclusion_reason=exclusion.reason if exclusion else None,
        excluded_from=exclusion.excluded_from if exclusion else None,
    )


def hash_text(text: str) -> str:
    """First 16 hex digits of the SHA-256 of the UTF-8 text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _find_end(exchange: Exchange, transcript: Transcript) -> int:
    """The first terminal marker; a last word that rides behind it still belongs to the answer."""
    if transcript.finished_ns is None:
        return exchange.ended_ns
    return max(transcript.finished_ns, *(arrival.at_ns for arrival in transcript.arrivals[-1:]))


def _find_retry_after(exchange: Exchange, transcript: Transcript, now: dt.datetime) -> float | None:
    """The header's delay, else its form in ms (OpenAI, Azure), else the one inside the error's body.

    Dates count from the server's own clock.
    """
    now = parse_http_date(exchange.headers.get("date")) or now
    delay = parse_retry_after(exchange.headers.get("retry-after"), now=now)
    if delay is not None:
        return delay
    delay_ms = parse_retry_after(exchange.headers.get("retry-after-ms"), now=now, unit_s=0.001)
    if delay_ms is not None:
        return delay_ms
    error = transcript.error
    if error is None and exchange.status is not None and exchange.status >= 400:
        error = read_error_body(exchange)
    return parse_retry_after(error.retry_after if error else None, now=now)


def _find_headers_ms(exchange: Exchange) -> float | None:
    if exchange.headers_ns is None:
        return None
    return (exchange.headers_ns - exchange.sent_ns) / metrics.NS_PER_MS


def _add_up(exchange: Exchange) -> float | None:
    """DNS, TCP and TLS together; 0 on a reused connection, None where nothing was timed."""
    if exchange.connection_reused:
        return 0.0
    parts = [part for part in (exchange.dns_ms, exchange.tcp_ms, exchange.tls_ms) if part is not None]
    return sum(parts) if parts else None


def _collect_flags(
    verdict: Verdict,
    transcript: Transcript,
    timeline: Timeline,
    counts: TokenCounts,
    endpoint: Endpoint,
    max_output_tokens: int | None,
) -> tuple[str, ...]:
    is_ok, is_budget = verdict.outcome == "ok", (transcript.finish_reason or "").lower() in BUDGET_REASONS
    is_short = (
        max_output_tokens is not None and counts.output is not None and counts.output < max_output_tokens
    )
    claims = {
        "think_tags": timeline.has_think_tags,
        "single_chunk": is_ok and len(timeline.events) == 1,
        "buffered": is_ok and (metrics.is_held_back(timeline, counts) or metrics.is_buffered(timeline)),
        "budget_exhausted": is_ok and is_budget and not timeline.answer_events,
        "short_output": is_ok and is_short and not is_budget,
        "content_filtered": is_ok and transcript.is_filtered,
        "whole_answer": is_ok and transcript.is_whole_answer,
        "prompt_cached": is_cache_hit(transcript.usage),
        "input_excludes_cache": bool(transcript.usage and transcript.usage.input_excludes_cache),
        "model_mismatch": is_wrong_model(endpoint, transcript),
    }
    told = counts.flags if timeline.events else ()
    return (*verdict.flags, *told, *(name for name, holds in claims.items() if holds))
