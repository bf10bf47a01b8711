from __future__ import annotations

import pytest

from leaderboard.catalogue.engines.flags import cleaned_flags


def test_flags_that_change_speed_are_kept() -> None:
    typed = "--tensor-parallel-size 8 --max-num-seqs=256 --gpu-memory-utilization 0.92 --enable-prefix-caching -ngl 99"

    assert cleaned_flags(typed) == typed


def test_the_program_and_the_model_before_the_flags_are_left_out() -> None:
    assert cleaned_flags("vllm serve /srv/models/x --max-model-len 8192") == "--max-model-len 8192"


def test_what_engines_print_is_kept() -> None:
    assert cleaned_flags("block_size=16 cache_dtype=fp8_e4m3") == "block_size=16 cache_dtype=fp8_e4m3"


@pytest.mark.parametrize(
    "typed",
    [
        "--api-key sk-canary-1234567890",
        "--api-key=sk-canary-1234567890",
        "--hf-token canary",
        "--host canary --port 8000",
        "--max-num-seqs canary.example.com",
        "--max-num-seqs http://canary",
        '--kv-transfer-config \'{"kv_ip": "canary"}\'',
        "--dist-init-addr canary:5000",
        "--tensor-parallel-size 10.0.0.1",
        "--num-gpu-blocks fe80::1",
        "--download-dir /home/canary",
        "--draft-model-path canary",
        "--lora-modules x=/canary",
        "--served-model-name canary",
        "--master-addr canary",
        "--kv-cache-dtype canary@host",
        "--max-num-seqs canaryAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "HF_TOKEN=canary",
        "canary",
        "--unbalanced 'canary",
    ],
)
def test_secrets_and_places_are_dropped(typed: str) -> None:
    assert cleaned_flags(typed + " --max-num-seqs 64" * ("'canary" not in typed)) in ("--max-num-seqs 64", "")


def test_no_more_is_kept_than_the_column_holds() -> None:
    kept = cleaned_flags(" ".join(f"--max-num-seqs {n}" for n in range(100)))

    assert 900 < len(kept) <= 1000
    assert kept.endswith(tuple("0123456789"))
