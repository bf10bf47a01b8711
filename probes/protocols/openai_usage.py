"""Token counts and engine timings in OpenAI's form, normalised: output counts include reasoning."""

from __future__ import annotations

from collections.abc import Iterator

from probes.events import Timing, Usage
from probes.json_access import JsonObject, first_count, list_of, object_of

TIMING_WORDS = ("_time", "_ms", "_per_second", "_duration")


def read_usage(document: JsonObject) -> Usage | None:
    """None where the message has no usage, or one of nulls only."""
    usage = object_of(document.get("usage"))
    if not usage and "x_groq" in document:
        usage = object_of(object_of(document["x_groq"]).get("usage"))
    if not usage:
        for choice in list_of(document.get("choices"))[:1]:
            usage = object_of(object_of(choice).get("usage"))
    return parse_usage(usage) if usage else None


def parse_usage(usage: JsonObject) -> Usage:
    """Chat's prompt/completion names and Responses' input/output names alike."""
    prompt_details = object_of(usage.get("prompt_tokens_details")) or object_of(
        usage.get("input_tokens_details")
    )
    details = object_of(usage.get("completion_tokens_details")) or object_of(
        usage.get("output_tokens_details")
    )
    input_tokens = first_count(usage.get("prompt_tokens"), usage.get("input_tokens"))
    output_tokens = first_count(usage.get("completion_tokens"), usage.get("output_tokens"))
    reasoning_tokens = first_count(details.get("reasoning_tokens"), usage.get("reasoning_tokens"))
    if _is_reasoning_apart(usage, input_tokens, output_tokens, reasoning_tokens):
        output_tokens = (output_tokens or 0) + (reasoning_tokens or 0)
    return Usage(
        input_tokens=input_tokens,
        cached_input_tokens=first_count(
            prompt_details.get("cached_tokens"),
            usage.get("cached_tokens"),
            usage.get("prompt_cache_hit_tokens"),
        ),
        output_tokens=output_tokens,
        reasoning_tokens=reasoning_tokens,
    )


def _is_reasoning_apart(
    usage: JsonObject, input_tokens: int | None, output_tokens: int | None, reasoning_tokens: int | None
) -> bool:
    """xAI's chat API counts reasoning outside the completion; the total gives it away."""
    if not reasoning_tokens or output_tokens is None:
        return False
    total = first_count(usage.get("total_tokens"))
    if total is not None and input_tokens is not None:
        if total == input_tokens + output_tokens:
            return False
        if total == input_tokens + output_tokens + reasoning_tokens:
            return True
    return reasoning_tokens > output_tokens


def read_timing(document: JsonObject) -> Iterator[Timing]:
    for name in ("timings", "time_info", "latency_checkpoint"):
        if name in document and object_of(document[name]):
            yield Timing(name, object_of(document[name]))
    if "usage" in document or "x_groq" in document:
        yield from _read_usage_timing(document)


def _read_usage_timing(document: JsonObject) -> Iterator[Timing]:
    groq_usage = object_of(object_of(document.get("x_groq")).get("usage"))
    for name, usage in (("x_groq", groq_usage), ("usage", object_of(document.get("usage")))):
        values = {key: value for key, value in usage.items() if _is_timing(key, value)}
        if values:
            yield Timing(name, values)


def _is_timing(name: str, value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and name.endswith(TIMING_WORDS)
