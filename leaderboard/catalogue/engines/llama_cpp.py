"""llama.cpp: /props says how it was started, /slots how many at once, /metrics (when asked for) what it did."""

from __future__ import annotations

from leaderboard.catalogue.engines.facts import EngineCounters, EngineFacts, Replies, quantization_of
from leaderboard.catalogue.engines.prometheus import count
from probes.json_access import count_of, list_of, object_of, text_of

PATHS = ("/props", "/v1/models", "/slots")
COUNTER_PATHS = ("/metrics",)
NO_BUILD = "b0-unknown"
"""What a build outside a checkout of its sources calls itself."""


def read_facts(replies: Replies) -> EngineFacts | None:
    props = object_of(replies.get("/props"))
    settings = object_of(props.get("default_generation_settings"))
    if not settings or "total_slots" not in props:
        return None
    entries = [object_of(entry) for entry in list_of(object_of(replies.get("/v1/models")).get("data"))]
    meta = object_of(entries[0].get("meta")) if entries else {}
    build = text_of(props.get("build_info"))
    slots = count_of(props.get("total_slots"))
    return EngineFacts(
        engine="llama.cpp",
        version=build if build and build != NO_BUILD else None,
        models=tuple(name for name in (text_of(entry.get("id")) for entry in entries) if name),
        max_model_len=count_of(settings.get("n_ctx")),
        quantization=quantization_of(meta.get("ftype") or props.get("model_ftype")),
        speculative_decoding=speculation(replies, object_of(settings.get("params"))),
        requests_at_once=slots,
        flags=f"parallel={slots}" if slots else "",
    )


def speculation(replies: Replies, params: dict[str, object]) -> str | None:
    """The method's name where the engine gives it; older ones say only whether a slot speculates."""
    named = text_of(params.get("speculative.types"))
    if named:
        return named
    says = [object_of(slot).get("speculative") for slot in list_of(replies.get("/slots"))]
    if True in says:
        return "draft"
    return "none" if False in says else None


def read_counters(replies: Replies) -> EngineCounters:
    page = replies.get("/metrics")
    return EngineCounters(
        output_tokens=count(page, "llamacpp:tokens_predicted_total"),
        input_tokens=count(page, "llamacpp:prompt_tokens_total"),
        running=count(page, "llamacpp:requests_processing"),
        waiting=count(page, "llamacpp:requests_deferred"),
    )
