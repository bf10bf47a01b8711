"""A result as the command line's JSON: the columns of samples.csv first, in their order, then what a probe adds."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json

from probes.result import ProbeResult

SAMPLE_COLUMNS = (
    "sample_id", "offering_id", "scheduled_at", "started_at", "probe_location", "workload", "concurrency",
    "methodology_version", "input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens", "token_source",
    "connect_ms", "connection_reused", "ttft_ms", "ttfat_ms", "end_to_end_ms", "output_speed_tps", "chunks",
    "largest_chunk_share", "outcome", "http_status", "finish_reason", "cost_usd", "excluded", "exclusion_reason",
    "excluded_from", "workload_version", "connection_kind", "last_token_ms", "first_chunk_tokens", "simulated",
)  # fmt: skip
"""Those that only a board knows (offering, schedule, place) are null here."""


def result_fields(result: ProbeResult) -> dict[str, object]:
    """Every field of the result under its published name, JSON-ready."""
    fields = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    fields["started_at"] = format_time(result.started_at)
    fields["flags"] = list(result.flags)
    return {name: fields.get(name) for name in SAMPLE_COLUMNS} | fields


def format_time(moment: dt.datetime) -> str:
    """ISO 8601 with milliseconds and Z."""
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_line(fields: object) -> str:
    """One line of JSON; a number that JSON cannot say would raise ValueError."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False) + "\n"
