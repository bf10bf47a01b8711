"""LM Studio: /api/v0/models lists what is there and what is loaded; the runtime below it is llama.cpp or MLX."""

from __future__ import annotations

from leaderboard.catalogue.engines.facts import EngineCounters, EngineFacts, Replies, quantization_of
from probes.json_access import count_of, list_of, object_of, text_of

PATHS = ("/api/v0/models",)
COUNTER_PATHS: tuple[str, ...] = ()


def read_facts(replies: Replies) -> EngineFacts | None:
    entries = [object_of(m) for m in list_of(object_of(replies.get("/api/v0/models")).get("data"))]
    if not any("compatibility_type" in entry for entry in entries):
        return None
    chat = [entry for entry in entries if entry.get("type") in ("llm", "vlm")]
    ordered = sorted(chat, key=lambda entry: entry.get("state") != "loaded")
    first = ordered[0] if ordered else {}
    return EngineFacts(
        engine="other",
        models=tuple(name for name in (text_of(entry.get("id")) for entry in ordered) if name),
        max_model_len=count_of(first.get("loaded_context_length"))
        or count_of(first.get("max_context_length")),
        quantization=quantization_of(first.get("quantization")),
        flags="runtime=lm-studio",
    )


def read_counters(replies: Replies) -> EngineCounters:
    return EngineCounters()
