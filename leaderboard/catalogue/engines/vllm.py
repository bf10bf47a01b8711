"""vLLM: /version, /v1/models with the context it accepts, and /metrics with its cache settings and token counters.

The degree of parallelism is told only in its development mode (/server_info); else it stays unknown.
"""

from __future__ import annotations

import re

from leaderboard.catalogue.engines.facts import (
    EngineCounters,
    EngineFacts,
    Replies,
    flags_of,
    quantization_of,
)
from leaderboard.catalogue.engines.prometheus import count, labels_of, total
from probes.json_access import count_of, list_of, object_of, text_of

PATHS = ("/version", "/v1/models", "/metrics", "/server_info")
COUNTER_PATHS = ("/metrics",)
CACHE_FLAGS = (
    "block_size",
    "cache_dtype",
    "enable_prefix_caching",
    "gpu_memory_utilization",
    "num_gpu_blocks",
    "kv_cache_dtype",
)


def read_facts(replies: Replies) -> EngineFacts | None:
    version = text_of(object_of(replies.get("/version")).get("version"))
    entries = [object_of(entry) for entry in list_of(object_of(replies.get("/v1/models")).get("data"))]
    is_vllm = any(entry.get("owned_by") == "vllm" for entry in entries)
    if not version or not (is_vllm or "vllm:" in text_of(replies.get("/metrics"))):
        return None
    settings = printed_settings(replies)
    return EngineFacts(
        engine="vllm",
        version=version,
        models=tuple(name for name in (text_of(entry.get("id")) for entry in entries) if name),
        max_model_len=count_of(entries[0].get("max_model_len")) if entries else None,
        quantization=quantization_of(settings.get("quantization")) or quantization_of(settings.get("dtype")),
        tensor_parallel=count_of(settings.get("tensor_parallel_size")),
        pipeline_parallel=count_of(settings.get("pipeline_parallel_size")),
        speculative_decoding=speculation(replies, settings),
        flags=flags_of(labels_of(replies.get("/metrics"), "vllm:cache_config_info"), CACHE_FLAGS),
    )


def printed_settings(replies: Replies) -> dict[str, str]:
    """The development page prints the configuration as name=value text, or gives it as an object."""
    config = object_of(replies.get("/server_info")).get("vllm_config")
    if isinstance(config, str):
        return dict(re.findall(r"\b([a-z_]+)=([^\s,()]+)", config))
    flat: dict[str, str] = {}
    for section in object_of(config).values():
        flat |= {k: str(v) for k, v in object_of(section).items() if isinstance(v, str | int) and v != ""}
    return flat


def speculation(replies: Replies, settings: dict[str, str]) -> str | None:
    """Drafted tokens on the counters prove it; a configuration that says None denies it."""
    drafted = total(replies.get("/metrics"), "vllm:spec_decode_num_draft_tokens_total")
    method = settings.get("method") or settings.get("speculative_config")
    if method and method.strip("'") not in ("None", "SpeculativeConfig"):
        return method.strip("'")
    if drafted:
        return "draft"
    return "none" if method == "None" else None


def read_counters(replies: Replies) -> EngineCounters:
    page = replies.get("/metrics")
    return EngineCounters(
        output_tokens=count(page, "vllm:generation_tokens_total", "vllm:generation_tokens"),
        input_tokens=count(page, "vllm:prompt_tokens_total", "vllm:prompt_tokens"),
        running=count(page, "vllm:num_requests_running"),
        waiting=count(page, "vllm:num_requests_waiting"),
    )
