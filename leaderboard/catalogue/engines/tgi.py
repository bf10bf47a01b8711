"""Text Generation Inference: /info says model, type and limits; /metrics counts generated tokens in a histogram."""

from __future__ import annotations

from leaderboard.catalogue.engines.facts import (
    EngineCounters,
    EngineFacts,
    Replies,
    flags_of,
    quantization_of,
)
from leaderboard.catalogue.engines.prometheus import count
from probes.json_access import count_of, object_of, text_of

PATHS = ("/info",)
COUNTER_PATHS = ("/metrics",)
SPEED_FLAGS = (
    "max_batch_total_tokens",
    "max_waiting_tokens",
    "waiting_served_ratio",
    "max_client_batch_size",
    "validation_workers",
)


def read_facts(replies: Replies) -> EngineFacts | None:
    told = object_of(replies.get("/info"))
    name = text_of(told.get("model_id"))
    if not name or "max_concurrent_requests" not in told:
        return None
    guessed = count_of(told.get("speculate"))
    return EngineFacts(
        engine="tgi",
        version=text_of(told.get("version")) or None,
        models=(name,),
        max_model_len=count_of(told.get("max_total_tokens")),
        quantization=quantization_of(told.get("quantize")) or quantization_of(told.get("model_dtype")),
        speculative_decoding=None if guessed is None else f"ngram {guessed}" if guessed else "none",
        requests_at_once=count_of(told.get("max_concurrent_requests")),
        flags=flags_of(told, SPEED_FLAGS),
    )


def read_counters(replies: Replies) -> EngineCounters:
    page = replies.get("/metrics")
    return EngineCounters(
        output_tokens=count(page, "tgi_request_generated_tokens_sum"),
        input_tokens=count(page, "tgi_request_input_length_sum"),
        running=count(page, "tgi_batch_current_size"),
        waiting=count(page, "tgi_queue_size"),
    )
