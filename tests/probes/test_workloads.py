"""Workloads: their lengths by the reference tokenizer, their nonces, and texts that do not change unnoticed."""

from __future__ import annotations

import pytest

from probes.reference_tokenizer import count_reference_tokens
from probes.workloads import WORKLOADS, UnknownWorkloadError, get_workload, make_nonce

PUBLISHED = {
    ("short", 1): "ce2542d0546aef07bf647766c5242de703b011c4193b033413f9e93cd0b32437",
    ("medium", 1): "1c506ca37d72d8715867a43aa8e6bdb8b17fe94b636bb8124cb4e2fa0b91421e",
    ("long", 1): "a03e207a61b4afcffe95e2ed913d9101c5e171fb88643d78a9a9c2dbfa8100c9",
    ("very-long", 1): "445e934f5624fb24e3080a447a4ddb04504c15c46dea11a75cb956029350cf32",
}
"""A text that changes needs a new version here and in the workload."""


@pytest.mark.parametrize("slug", WORKLOADS)
def test_prompt_is_as_long_as_its_name_says(slug: str) -> None:
    workload = get_workload(slug)

    tokens = count_reference_tokens(workload.write_prompt(make_nonce()))

    assert tokens == pytest.approx(workload.input_tokens, rel=0.02)


def test_every_nonce_has_the_same_number_of_tokens() -> None:
    workload = get_workload("short")

    assert len({count_reference_tokens(workload.write_prompt(make_nonce())) for _ in range(50)}) == 1


def test_prompt_begins_with_its_nonce_and_is_else_the_same() -> None:
    workload = get_workload("medium")

    prompts = [workload.write_prompt(nonce) for nonce in ("1" * 18, "2" * 18)]

    assert prompts[0].startswith("1" * 18)
    assert prompts[0][18:] == prompts[1][18:]


def test_warm_cache_prompt_is_always_the_same() -> None:
    workload = get_workload("warm-cache")

    assert workload.write_prompt(make_nonce()) == workload.write_prompt(make_nonce())


@pytest.mark.parametrize(("slug", "version"), PUBLISHED)
def test_published_text_is_unchanged(slug: str, version: int) -> None:
    workload = get_workload(slug)

    assert (workload.version, workload.sha256) == (version, PUBLISHED[slug, version])


def test_default_workloads_ask_for_a_thousand_tokens() -> None:
    assert all(WORKLOADS[slug].max_output_tokens >= 1000 for slug in WORKLOADS if slug != "short")


def test_unknown_workload_lists_the_known_ones() -> None:
    with pytest.raises(UnknownWorkloadError, match="choose one of short, medium"):
        get_workload("huge")
