"""What engines answer on their own pages. llama.cpp's are recorded from the real engine of tests/real_engine.

The others are written by hand from the shapes their makers document, since these engines cannot run here.
"""

from __future__ import annotations

from typing import Any

LLAMA_CPP: dict[str, Any] = {
    "/props": {
        "default_generation_settings": {"params": {"speculative.types": "none"}, "n_ctx": 16384},
        "total_slots": 2,
        "model_alias": "/models/tiny-random-1.gguf",
        "model_ftype": "all F32",
        "model_path": "/models/tiny-random-1.gguf",
        "endpoint_metrics": True,
        "chat_template": "{% for m in messages %}…",
        "build_info": "b6250-e92734d5",
    },
    "/slots": [
        {"id": 0, "n_ctx": 16384, "speculative": False, "is_processing": False},
        {"id": 1, "n_ctx": 16384, "speculative": False, "is_processing": False},
    ],
    "/v1/models": {
        "object": "list",
        "data": [
            {
                "id": "/models/tiny-random-1.gguf",
                "owned_by": "llamacpp",
                "meta": {"n_ctx": 16384, "n_params": 3266816, "ftype": "Q4_K - Medium"},
            }
        ],
    },
    "/metrics": (
        "# HELP llamacpp:tokens_predicted_total Number of generation tokens processed\n"
        "# TYPE llamacpp:tokens_predicted_total counter\n"
        "llamacpp:tokens_predicted_total 20\n"
        "llamacpp:prompt_tokens_total 25\n"
        "llamacpp:requests_processing 1\n"
        "llamacpp:requests_deferred 3\n"
    ),
}

VLLM: dict[str, Any] = {
    "/version": {"version": "0.11.0"},
    "/v1/models": {
        "object": "list",
        "data": [
            {
                "id": "openai/gpt-oss-120b",
                "object": "model",
                "owned_by": "vllm",
                "root": "openai/gpt-oss-120b",
                "max_model_len": 131072,
            }
        ],
    },
    "/metrics": (
        "# TYPE vllm:num_requests_running gauge\n"
        'vllm:num_requests_running{engine="0",model_name="openai/gpt-oss-120b"} 4.0\n'
        'vllm:num_requests_waiting{engine="0",model_name="openai/gpt-oss-120b"} 1.0\n'
        'vllm:prompt_tokens_total{engine="0",model_name="openai/gpt-oss-120b"} 1.310720e+06\n'
        'vllm:generation_tokens_total{engine="0",model_name="openai/gpt-oss-120b"} 2000.0\n'
        'vllm:generation_tokens_total{engine="1",model_name="openai/gpt-oss-120b"} 3000.0\n'
        'vllm:cache_config_info{block_size="16",cache_dtype="fp8",enable_prefix_caching="True",'
        'gpu_memory_utilization="0.9",num_gpu_blocks="27456",sliding_window="None"} 1.0\n'
        'vllm:spec_decode_num_draft_tokens_total{engine="0"} 0.0\n'
    ),
    "/server_info": {
        "vllm_config": (
            "model='openai/gpt-oss-120b', speculative_config=None, tokenizer='openai/gpt-oss-120b', "
            "dtype=torch.bfloat16, max_seq_len=131072, tensor_parallel_size=8, pipeline_parallel_size=1, "
            "quantization=mxfp4, seed=0"
        )
    },
}

SGLANG: dict[str, Any] = {
    "/get_server_info": {
        "model_path": "deepseek-ai/DeepSeek-V3.1",
        "served_model_name": "deepseek-ai/DeepSeek-V3.1",
        "host": "10.20.30.40",
        "port": 30000,
        "api_key": "sk-canary-sglang-key-000000",
        "dist_init_addr": "10.20.30.41:5000",
        "tp_size": 8,
        "pp_size": 1,
        "dp_size": 8,
        "ep_size": 8,
        "dtype": "auto",
        "quantization": "fp8",
        "kv_cache_dtype": "fp8_e4m3",
        "context_length": 65536,
        "mem_fraction_static": 0.85,
        "chunked_prefill_size": 8192,
        "max_running_requests": 256,
        "attention_backend": "fa3",
        "disable_cuda_graph": False,
        "enable_dp_attention": True,
        "speculative_algorithm": "EAGLE",
        "speculative_num_steps": 3,
        "version": "0.5.3",
        "internal_states": [{"last_gen_throughput": 812.5}],
    },
    "/metrics": (
        'sglang:prompt_tokens_total{model_name="deepseek-ai/DeepSeek-V3.1"} 8128.0\n'
        'sglang:generation_tokens_total{model_name="deepseek-ai/DeepSeek-V3.1"} 7557.0\n'
        'sglang:num_running_reqs{model_name="deepseek-ai/DeepSeek-V3.1"} 3.0\n'
        'sglang:num_queue_reqs{model_name="deepseek-ai/DeepSeek-V3.1"} 0.0\n'
    ),
}

TGI: dict[str, Any] = {
    "/info": {
        "model_id": "mistralai/Mistral-7B-Instruct-v0.3",
        "model_sha": "e0bc86c23ce5aae1db576c8cca6f06f1f73af2db",
        "model_dtype": "torch.float16",
        "model_device_type": "cuda",
        "max_concurrent_requests": 128,
        "max_input_tokens": 4095,
        "max_total_tokens": 4096,
        "max_batch_total_tokens": 319184,
        "max_client_batch_size": 4,
        "validation_workers": 2,
        "router": "text-generation-router",
        "version": "3.3.4",
        "docker_label": "sha-12345",
    },
    "/metrics": (
        "tgi_request_generated_tokens_sum 4096\n"
        "tgi_request_generated_tokens_count 8\n"
        "tgi_request_input_length_sum 800\n"
        "tgi_batch_current_size 2\n"
        "tgi_queue_size 0\n"
    ),
}

OLLAMA: dict[str, Any] = {
    "/api/version": {"version": "0.12.3"},
    "/api/ps": {
        "models": [
            {
                "name": "gemma3:4b",
                "model": "gemma3:4b",
                "size": 6_000_000_000,
                "digest": "a2af6cc3eb7f",
                "details": {"format": "gguf", "parameter_size": "4.3B", "quantization_level": "Q4_K_M"},
                "expires_at": "2026-07-15T10:00:00Z",
                "size_vram": 4_500_000_000,
                "context_length": 4096,
            }
        ]
    },
    "/api/tags": {
        "models": [{"name": "gemma3:4b", "model": "gemma3:4b"}, {"name": "qwen3:8b", "model": "qwen3:8b"}]
    },
}

LM_STUDIO: dict[str, Any] = {
    "/api/v0/models": {
        "object": "list",
        "data": [
            {"id": "nomic-embed", "type": "embeddings", "compatibility_type": "gguf", "state": "not-loaded"},
            {
                "id": "qwen3-8b-mlx",
                "type": "llm",
                "compatibility_type": "mlx",
                "quantization": "4bit",
                "state": "not-loaded",
                "max_context_length": 40960,
            },
            {
                "id": "gpt-oss-20b",
                "type": "llm",
                "compatibility_type": "gguf",
                "quantization": "MXFP4",
                "state": "loaded",
                "max_context_length": 131072,
                "loaded_context_length": 8192,
            },
        ],
    }
}
