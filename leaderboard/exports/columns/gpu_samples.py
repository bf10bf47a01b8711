"""The single requests of sweeps: from them every figure of gpu_levels can be counted again."""

from __future__ import annotations

from operator import attrgetter

from .column import (
    FROM_ONE,
    NOT_NEGATIVE,
    OFFERING_REFERENCE,
    POSITIVE,
    SHARE,
    SIMULATED,
    Bounds,
    Column,
    Table,
    or_none,
)
from .samples import EXCLUSION_REASONS, OUTCOMES


def milliseconds(name: str, meaning: str, *, bounds: Bounds = POSITIVE) -> Column:
    return Column(name, "number", meaning, unit="ms", bounds=bounds, exact=True)


def tokens(name: str, meaning: str) -> Column:
    return Column(name, "integer", meaning, unit="tokens", bounds=NOT_NEGATIVE)


GPU_SAMPLES = Table(
    name="gpu_samples",
    title="Requests of sweeps",
    row_is="one per request of each endpoint's newest sweep, failures included",
    key=("endpoint_id", "measured_at", "concurrency", "sequence"),
    references=(OFFERING_REFERENCE,),
    columns=(
        Column(
            "endpoint_id",
            "string",
            "public label, as in gpu_endpoints",
            required=True,
            get=attrgetter("level.sweep.deployment.endpoint_id"),
        ),
        Column(
            "offering_id",
            "string",
            "the offering these GPUs serve",
            required=True,
            get=attrgetter("level.sweep.deployment.offering.public_id"),
        ),
        Column(
            "measured_at",
            "datetime",
            "when the sweep started",
            unit="UTC",
            required=True,
            get=attrgetter("level.sweep.measured_at"),
        ),
        Column(
            "concurrency",
            "integer",
            "requests kept in flight",
            unit="requests",
            required=True,
            bounds=FROM_ONE,
            get=attrgetter("level.concurrency"),
        ),
        Column("sequence", "integer", "order of sending, from 0", required=True, bounds=NOT_NEGATIVE),
        Column("lane", "integer", "which of those in flight, from 0", required=True, bounds=NOT_NEGATIVE),
        Column("started_at", "datetime", "when the request left", unit="UTC, ms", required=True),
        milliseconds("sent_ms", "when the request left, after the level began", bounds=NOT_NEGATIVE),
        Column(
            "window_share",
            "number",
            "of its time to the last token, the share within the window",
            unit="0..1",
            bounds=SHARE,
            exact=True,
        ),
        Column(
            "window_tokens",
            "number",
            "its output tokens within the window, placed where the bytes came",
            unit="tokens",
            required=True,
            bounds=NOT_NEGATIVE,
            exact=True,
        ),
        Column("outcome", "string", "how it ended", required=True, one_of=OUTCOMES),
        Column("detail", "string", "the finer class of a failure", get=or_none("detail")),
        Column("http_status", "integer", "empty when none arrived", bounds=Bounds(at_least=100, at_most=599)),
        Column("finish_reason", "string", "why it stopped, as the engine says", get=or_none("finish_reason")),
        tokens("input_tokens", "prompt tokens as the engine reports"),
        tokens("cached_input_tokens", "prompt tokens it had cached"),
        tokens("output_tokens", "reasoning and answer"),
        tokens("reasoning_tokens", "those not of the answer"),
        Column(
            "token_source", "string", "who counted", required=True, one_of=("usage", "tokenizer", "unknown")
        ),
        tokens("first_chunk_tokens", "tokens of the first event, for the speed"),
        Column("chunks", "integer", "content events", unit="count", bounds=NOT_NEGATIVE),
        Column(
            "largest_chunk_share",
            "number",
            "share of the text in the biggest event",
            unit="0..1",
            bounds=SHARE,
            exact=True,
        ),
        milliseconds("connect_ms", "DNS, TCP and TLS; 0 on a reused connection", bounds=NOT_NEGATIVE),
        milliseconds("ttft_ms", "request sent to first token of any kind"),
        milliseconds("ttfat_ms", "request sent to first answer token"),
        milliseconds("thinking_ms", "first token to first answer token", bounds=NOT_NEGATIVE),
        milliseconds("last_token_ms", "request sent to last content event"),
        milliseconds("end_to_end_ms", "request sent to its end"),
        Column("output_speed_tps", "number", "output speed", unit="tokens/s", bounds=POSITIVE, exact=True),
        Column(
            "answer_speed_tps",
            "number",
            "speed of the answer alone",
            unit="tokens/s",
            bounds=POSITIVE,
            exact=True,
        ),
        milliseconds("inter_token_ms", "1000 / output speed"),
        milliseconds("event_gap_p50_ms", "median gap between content events", bounds=NOT_NEGATIVE),
        milliseconds("event_gap_p95_ms", "95th percentile of those gaps", bounds=NOT_NEGATIVE),
        milliseconds("response_time_500_ms", "time to the 500th answer token, modelled"),
        milliseconds("client_lag_ms", "how late our own event loop was", bounds=NOT_NEGATIVE),
        Column("excluded", "boolean", "true = kept out of what excluded_from names", required=True),
        Column(
            "exclusion_reason", "string", "why", one_of=EXCLUSION_REASONS, get=or_none("exclusion_reason")
        ),
        Column(
            "excluded_from", "string", "speed, or all", one_of=("speed", "all"), get=or_none("excluded_from")
        ),
        Column(
            "simulated",
            "boolean",
            SIMULATED,
            required=True,
            get=attrgetter("level.sweep.deployment.offering.provider.simulated"),
        ),
    ),
)
