"""Parsers on scripted replies. Only llama.cpp is also read live: tests/engine/test_engine_facts.py."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from leaderboard.catalogue.engines import llama_cpp, lm_studio, ollama, sglang, tgi, vllm
from leaderboard.catalogue.engines.facts import EngineCounters, EngineFacts, quantization_of
from tests.catalogue.engines.replies import LLAMA_CPP, LM_STUDIO, OLLAMA, SGLANG, TGI, VLLM

EVERYTHING: list[tuple[ModuleType, dict[str, Any]]] = [
    (llama_cpp, LLAMA_CPP),
    (vllm, VLLM),
    (sglang, SGLANG),
    (tgi, TGI),
    (ollama, OLLAMA),
    (lm_studio, LM_STUDIO),
]


def test_llama_cpp_facts() -> None:
    assert llama_cpp.read_facts(LLAMA_CPP) == EngineFacts(
        engine="llama.cpp",
        version="b6250-e92734d5",
        models=("/models/tiny-random-1.gguf",),
        max_model_len=16384,
        quantization="int4",
        speculative_decoding="none",
        requests_at_once=2,
        flags="parallel=2",
    )


def test_vllm_facts() -> None:
    assert vllm.read_facts(VLLM) == EngineFacts(
        engine="vllm",
        version="0.11.0",
        models=("openai/gpt-oss-120b",),
        max_model_len=131072,
        quantization="mxfp4",
        tensor_parallel=8,
        pipeline_parallel=1,
        speculative_decoding="none",
        flags=(
            "block_size=16 cache_dtype=fp8 enable_prefix_caching=True gpu_memory_utilization=0.9 "
            "num_gpu_blocks=27456"
        ),
    )


def test_vllm_without_its_development_page_leaves_parallelism_unknown() -> None:
    replies = {path: reply for path, reply in VLLM.items() if path != "/server_info"}

    facts = vllm.read_facts(replies)

    assert facts is not None
    assert (facts.tensor_parallel, facts.quantization, facts.speculative_decoding) == (None, None, None)


def test_vllm_that_drafted_tokens_speculates() -> None:
    page = VLLM["/metrics"].replace('tokens_total{engine="0"} 0.0', 'tokens_total{engine="0"} 88.0')
    facts = vllm.read_facts({**VLLM, "/metrics": page, "/server_info": None})

    assert facts is not None
    assert facts.speculative_decoding == "draft"


def test_sglang_facts() -> None:
    assert sglang.read_facts(SGLANG) == EngineFacts(
        engine="sglang",
        version="0.5.3",
        models=("deepseek-ai/DeepSeek-V3.1",),
        max_model_len=65536,
        quantization="fp8",
        tensor_parallel=8,
        pipeline_parallel=1,
        expert_parallel=8,
        speculative_decoding="eagle",
        requests_at_once=256,
        flags=(
            "attention_backend=fa3 chunked_prefill_size=8192 dp_size=8 enable_dp_attention=True "
            "kv_cache_dtype=fp8_e4m3 max_running_requests=256 mem_fraction_static=0.85 speculative_num_steps=3"
        ),
    )


def test_sglang_s_page_has_two_names() -> None:
    newer = {"/server_info": SGLANG["/get_server_info"], "/metrics": SGLANG["/metrics"]}

    assert sglang.read_facts(newer) == sglang.read_facts(SGLANG)


def test_sglang_s_context_is_the_model_s_own_where_no_argument_gives_one() -> None:
    arguments = SGLANG["/get_server_info"] | {"context_length": None}
    listed = {"data": [{"id": "m", "owned_by": "sglang", "max_model_len": 163840}]}

    facts = sglang.read_facts({"/server_info": arguments, "/v1/models": listed})

    assert facts is not None
    assert facts.max_model_len == 163840


def test_tgi_facts_of_a_newer_server_that_tells_less() -> None:
    told = {k: v for k, v in TGI["/info"].items() if k not in ("model_dtype", "max_batch_total_tokens")}

    facts = tgi.read_facts({"/info": told})

    assert facts is not None
    assert (facts.max_model_len, facts.quantization, facts.flags) == (
        4096,
        None,
        "max_client_batch_size=4 validation_workers=2",
    )


def test_sglang_key_and_addresses_stay_behind() -> None:
    told = repr(sglang.read_facts(SGLANG))

    assert not any(secret in told for secret in ("canary", "10.20.30", "30000", "5000"))


def test_tgi_facts() -> None:
    assert tgi.read_facts(TGI) == EngineFacts(
        engine="tgi",
        version="3.3.4",
        models=("mistralai/Mistral-7B-Instruct-v0.3",),
        max_model_len=4096,
        quantization="fp16",
        requests_at_once=128,
        flags="max_batch_total_tokens=319184 max_client_batch_size=4 validation_workers=2",
    )


def test_ollama_facts() -> None:
    assert ollama.read_facts(OLLAMA) == EngineFacts(
        engine="ollama",
        version="0.12.3",
        models=("gemma3:4b", "qwen3:8b"),
        max_model_len=4096,
        quantization="int4",
        flags="on_gpu=75%",
    )


def test_lm_studio_facts_are_those_of_the_loaded_model() -> None:
    assert lm_studio.read_facts(LM_STUDIO) == EngineFacts(
        engine="other",
        models=("gpt-oss-20b", "qwen3-8b-mlx"),
        max_model_len=8192,
        quantization="mxfp4",
        flags="runtime=lm-studio",
    )


@pytest.mark.parametrize(("reader", "mine"), EVERYTHING)
@pytest.mark.parametrize(("other", "replies"), EVERYTHING)
def test_no_engine_is_taken_for_another(
    reader: ModuleType, mine: dict[str, Any], other: ModuleType, replies: dict[str, Any]
) -> None:
    is_known = reader.read_facts(replies) is not None

    assert is_known == (reader is other)


@pytest.mark.parametrize(("reader", "replies"), EVERYTHING)
@pytest.mark.parametrize("nonsense", [None, [], "<html>", 7, {"data": [None, 3]}, {"models": "x"}])
def test_nonsense_is_nobody_and_never_raises(
    reader: ModuleType, replies: dict[str, Any], nonsense: object
) -> None:
    assert reader.read_facts(dict.fromkeys(replies, nonsense)) is None
    assert reader.read_counters(dict.fromkeys(replies, nonsense)) == EngineCounters()


def test_counters_are_summed_over_an_engine_s_workers() -> None:
    assert vllm.read_counters(VLLM) == EngineCounters(
        output_tokens=5000, input_tokens=1310720, running=4, waiting=1
    )


def test_counters_of_the_others() -> None:
    assert llama_cpp.read_counters(LLAMA_CPP) == EngineCounters(
        output_tokens=20, input_tokens=25, running=1, waiting=3
    )
    assert sglang.read_counters(SGLANG) == EngineCounters(
        output_tokens=7557, input_tokens=8128, running=3, waiting=0
    )
    assert tgi.read_counters(TGI) == EngineCounters(
        output_tokens=4096, input_tokens=800, running=2, waiting=0
    )
    assert ollama.read_counters(OLLAMA) == EngineCounters()


@pytest.mark.parametrize(
    ("word", "ours"),
    [
        ("Q4_K_M", "int4"),
        ("Q4_K - Medium", "int4"),
        ("mostly Q8_0", "int8"),
        ("IQ4_NL", "int4"),
        ("Q2_K", "other"),
        ("4bit", "int4"),
        ("8bit", "int8"),
        ("F16", "fp16"),
        ("all F32", "other"),
        ("torch.bfloat16", "bf16"),
        ("compressed-tensors_fp8", "fp8"),
        ("modelopt_fp4", "fp4"),
        ("awq_marlin", "int4"),
        ("mxfp4", "mxfp4"),
        ("auto", None),
        ("", None),
        (None, None),
        (4, None),
    ],
)
def test_quantization_in_the_catalogue_s_words(word: object, ours: str | None) -> None:
    assert quantization_of(word) == ours
