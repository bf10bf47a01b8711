"""SGLang: /server_info holds every start argument, keys included, so only named ones are looked at.

Until 0.5 the page was called /get_server_info; the context it settled on stands in /v1/models.
"""

from __future__ import annotations

from leaderboard.catalogue.engines.facts import (
    EngineCounters,
    EngineFacts,
    Replies,
    flags_of,
    quantization_of,
)
from leaderboard.catalogue.engines.prometheus import count
from probes.json_access import count_of, list_of, object_of, text_of

PATHS = ("/server_info", "/get_server_info", "/v1/models")
COUNTER_PATHS = ("/metrics",)
SPEED_FLAGS = (
    "attention_backend",
    "chunked_prefill_size",
    "cuda_graph_max_bs",
    "disable_cuda_graph",
    "disable_radix_cache",
    "dp_size",
    "enable_dp_attention",
    "enable_torch_compile",
    "kv_cache_dtype",
    "max_running_requests",
    "mem_fraction_static",
    "moe_runner_backend",
    "schedule_policy",
    "speculative_num_draft_tokens",
    "speculative_num_steps",
)


def read_facts(replies: Replies) -> EngineFacts | None:
    told = object_of(replies.get("/server_info"))
    if "tp_size" not in told:
        told = object_of(replies.get("/get_server_info"))
    if "tp_size" not in told or "mem_fraction_static" not in told:
        return None
    name = text_of(told.get("served_model_name")) or text_of(told.get("model_path"))
    return EngineFacts(
        engine="sglang",
        version=text_of(told.get("version")) or None,
        models=(name,) if name else (),
        max_model_len=count_of(told.get("context_length")) or served_context(replies),
        quantization=quantization_of(told.get("quantization")) or quantization_of(told.get("dtype")),
        tensor_parallel=count_of(told.get("tp_size")),
        pipeline_parallel=count_of(told.get("pp_size")),
        expert_parallel=count_of(told.get("ep_size")),
        speculative_decoding=speculation(told),
        requests_at_once=count_of(told.get("max_running_requests")),
        flags=flags_of(told, SPEED_FLAGS),
    )


def served_context(replies: Replies) -> int | None:
    """Null in the arguments means the model's own: the list of models then tells it."""
    entries = [object_of(entry) for entry in list_of(object_of(replies.get("/v1/models")).get("data"))]
    return count_of(entries[0].get("max_model_len")) if entries else None


def speculation(told: dict[str, object]) -> str | None:
    """Null in the arguments is the engine's word for none; an absent argument is silence."""
    if "speculative_algorithm" not in told:
        return None
    return text_of(told["speculative_algorithm"]).lower() or "none"


def read_counters(replies: Replies) -> EngineCounters:
    page = replies.get("/metrics")
    return EngineCounters(
        output_tokens=count(page, "sglang:generation_tokens_total"),
        input_tokens=count(page, "sglang:prompt_tokens_total"),
        running=count(page, "sglang:num_running_reqs"),
        waiting=count(page, "sglang:num_queue_reqs"),
    )
