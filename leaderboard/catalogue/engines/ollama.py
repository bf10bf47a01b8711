"""Ollama: /api/version, /api/ps for what is loaded, /api/tags for what is there. It has no token counters."""

from __future__ import annotations

from leaderboard.catalogue.engines.facts import EngineCounters, EngineFacts, Replies, quantization_of
from probes.json_access import count_of, list_of, object_of, text_of

PATHS = ("/api/version", "/api/ps", "/api/tags")
COUNTER_PATHS: tuple[str, ...] = ()


def read_facts(replies: Replies) -> EngineFacts | None:
    version = text_of(object_of(replies.get("/api/version")).get("version"))
    if not version or not ("/api/ps" in replies or "/api/tags" in replies):
        return None
    loaded = [object_of(m) for m in list_of(object_of(replies.get("/api/ps")).get("models"))]
    present = [object_of(m) for m in list_of(object_of(replies.get("/api/tags")).get("models"))]
    first = loaded[0] if loaded else present[0] if len(present) == 1 else {}
    names = dict.fromkeys(text_of(m.get("model")) or text_of(m.get("name")) for m in [*loaded, *present])
    return EngineFacts(
        engine="ollama",
        version=version,
        models=tuple(name for name in names if name),
        max_model_len=count_of(first.get("context_length")),
        quantization=quantization_of(object_of(first.get("details")).get("quantization_level")),
        flags=share_on_gpu(first),
    )


def share_on_gpu(model: dict[str, object]) -> str:
    """How much of the model lies in GPU memory: the rest runs on the CPU and slows everything."""
    whole, on_gpu = count_of(model.get("size")), count_of(model.get("size_vram"))
    if not whole or on_gpu is None:
        return ""
    return f"on_gpu={round(100 * on_gpu / whole)}%"


def read_counters(replies: Replies) -> EngineCounters:
    return EngineCounters()
