"""ProbeResult: everything one probe found out. Failures are data: every probe ends as one of these.

Field names are the columns of samples.csv and of the command line's JSON. None always means unknown, never 0.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

METHODOLOGY_VERSION = "1.0.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """Times in ms since the request was sent, speeds in tokens/s; formulas: docs/methodology.md."""

    request_id: str
    started_at: dt.datetime
    workload: str
    workload_version: int
    concurrency: int = 1
    methodology_version: str = METHODOLOGY_VERSION
    connection_kind: str = "warm"

    outcome: str
    detail: str | None = None
    fault: str | None = None
    message: str | None = None
    http_status: int | None = None
    finish_reason: str | None = None
    retry_after_s: float | None = None
    flags: tuple[str, ...] = ()

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    reference_tokens: int | None = None
    token_source: str = "unknown"
    first_chunk_tokens: int | None = None

    dns_ms: float | None = None
    tcp_ms: float | None = None
    tls_ms: float | None = None
    connect_ms: float | None = None
    connection_reused: bool = False
    headers_ms: float | None = None
    ttft_ms: float | None = None
    ttfat_ms: float | None = None
    thinking_ms: float | None = None
    last_token_ms: float | None = None
    end_to_end_ms: float | None = None
    response_time_500_ms: float | None = None
    output_speed_tps: float | None = None
    answer_speed_tps: float | None = None
    inter_token_ms: float | None = None
    event_gap_p50_ms: float | None = None
    event_gap_p95_ms: float | None = None

    chunks: int | None = None
    content_deltas: int | None = None
    reasoning_deltas: int | None = None
    tool_call_deltas: int | None = None
    largest_chunk_share: float | None = None
    answer_chars: int | None = None
    answer_sha256_16: str | None = None
    reasoning_chars: int | None = None

    served_model: str | None = None
    served_provider: str | None = None
    server_timing: dict[str, object] | None = None
    """The engine's own timings as it named them (llama.cpp, Groq, Cerebras …): a second witness."""
    client_lag_ms: float | None = None
    cost_usd: str | None = None

    excluded: bool = False
    exclusion_reason: str | None = None
    excluded_from: str | None = None
