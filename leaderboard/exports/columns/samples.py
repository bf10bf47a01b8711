from __future__ import annotations

from operator import attrgetter

from .column import (
    FROM_ONE,
    NOT_NEGATIVE,
    OFFERING_REFERENCE,
    POSITIVE,
    SHARE,
    Bounds,
    Column,
    Table,
    or_none,
)

OUTCOMES = (
    "ok",
    "rate_limited",
    "auth",
    "billing",
    "not_found",
    "capability",
    "bad_request",
    "blocked",
    "server_error",
    "timeout",
    "network",
    "stream_broken",
    "empty",
    "too_large",
    "ours",
)
EXCLUSION_REASONS = (
    "buffered_stream",
    "too_few_tokens",
    "window_too_short",
    "cache_hit",
    "wrong_model",
    "probe_fault",
    "clock_fault",
    "maintenance",
    "admin",
)

# Raw samples keep their stored precision (`exact`): rounded ones would not give the published medians again.
SAMPLES = Table(
    name="samples",
    title="Raw samples",
    row_is="one per probe request, failures included",
    key=("sample_id",),
    references=(OFFERING_REFERENCE,),
    columns=(
        Column("sample_id", "string", "id of the probe, in order of time", unit="UUIDv7", required=True),
        Column(
            "offering_id", "string", "what was probed", required=True, get=attrgetter("offering.public_id")
        ),
        Column("scheduled_at", "datetime", "when the schedule wanted it", unit="UTC, ms", required=True),
        Column("started_at", "datetime", "when the request left", unit="UTC, ms", required=True),
        Column("probe_location", "string", "label of the probe site, never an address", required=True),
        Column(
            "workload",
            "string",
            "short, medium, long, very-long, parallel-10, warm-cache; defined in methodology",
            required=True,
        ),
        Column(
            "concurrency",
            "integer",
            "requests of ours in flight at this offering",
            unit="requests",
            required=True,
            bounds=FROM_ONE,
        ),
        Column(
            "methodology_version",
            "string",
            "version of the rules it was measured by",
            unit="semver",
            required=True,
        ),
        Column(
            "input_tokens",
            "integer",
            "length of the prompt as the provider counts it",
            unit="tokens",
            bounds=NOT_NEGATIVE,
        ),
        Column(
            "cached_input_tokens", "integer", "as the provider reports", unit="tokens", bounds=NOT_NEGATIVE
        ),
        Column("output_tokens", "integer", "reasoning + answer", unit="tokens", bounds=NOT_NEGATIVE),
        Column(
            "reasoning_tokens",
            "integer",
            "the part of output_tokens that was reasoning",
            unit="tokens",
            bounds=NOT_NEGATIVE,
        ),
        Column(
            "token_source",
            "string",
            "makes speeds comparable or not",
            required=True,
            one_of=("usage", "tokenizer", "unknown"),
        ),
        Column(
            "connect_ms",
            "number",
            "DNS + TCP + TLS; 0 on a reused connection",
            unit="ms",
            bounds=NOT_NEGATIVE,
            exact=True,
        ),
        Column(
            "connection_reused", "boolean", "whether the connection was open before the probe", required=True
        ),
        Column(
            "ttft_ms",
            "number",
            "request sent to first generated token of any kind",
            unit="ms",
            bounds=POSITIVE,
            exact=True,
        ),
        Column(
            "ttfat_ms",
            "number",
            "request sent to first ANSWER token; equals ttft_ms without reasoning",
            unit="ms",
            bounds=POSITIVE,
            exact=True,
        ),
        Column(
            "end_to_end_ms",
            "number",
            "request sent to the end of the stream",
            unit="ms",
            bounds=POSITIVE,
            exact=True,
        ),
        Column(
            "output_speed_tps",
            "number",
            "(output_tokens - first_chunk_tokens) / (last_token_ms - ttft_ms), in seconds",
            unit="tokens/s",
            bounds=POSITIVE,
            exact=True,
        ),
        Column("chunks", "integer", "content events received", unit="count", bounds=NOT_NEGATIVE),
        Column(
            "largest_chunk_share",
            "number",
            "share of the text in the biggest chunk; near 1 = the stream was buffered",
            unit="0..1",
            bounds=SHARE,
            exact=True,
        ),
        Column("outcome", "string", "how the probe ended", required=True, one_of=OUTCOMES),
        Column("http_status", "integer", "empty when none arrived", bounds=Bounds(at_least=100, at_most=599)),
        Column(
            "finish_reason",
            "string",
            "why generation ended, in the provider's word",
            get=or_none("finish_reason"),
        ),
        Column(
            "cost_usd",
            "number",
            "computed from prices at started_at",
            unit="USD",
            bounds=NOT_NEGATIVE,
            exact=True,
        ),
        Column(
            "excluded",
            "boolean",
            "true = kept here, left out of the aggregates that `excluded_from` names",
            required=True,
        ),
        Column(
            "exclusion_reason",
            "string",
            "required when excluded",
            one_of=EXCLUSION_REASONS,
            get=or_none("exclusion_reason"),
        ),
        Column(
            "excluded_from",
            "string",
            "empty with excluded = all",
            one_of=("speed", "all"),
            get=or_none("excluded_from"),
        ),
        Column(
            "workload_version", "integer", "version of the workload's prompt", required=True, bounds=FROM_ONE
        ),
        Column(
            "connection_kind",
            "string",
            "cold figures include the connection's set-up",
            required=True,
            one_of=("warm", "cold"),
        ),
        Column(
            "last_token_ms",
            "number",
            "request sent to last content event",
            unit="ms",
            bounds=POSITIVE,
            exact=True,
        ),
        Column(
            "first_chunk_tokens",
            "integer",
            "n1 of the methodology: with it the speed recomputes",
            unit="tokens",
            bounds=NOT_NEGATIVE,
        ),
        Column("simulated", "boolean", "true = demo lab", required=True),
    ),
)
