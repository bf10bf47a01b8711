"""Somebody else's published points, loaded as a sweep: their own identities must come out of our arithmetic."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from leaderboard.ranking.endpoints import GpuEndpointRow, best_level, gpu_endpoint_rows, shown_rows
from tests.factories import make_deployment, make_gpu, make_sweep

pytestmark = pytest.mark.django_db

FOLDER = Path(__file__).parents[1] / "cases" / "inferencex"
GPUS = 16


def published(pattern: str, order: str) -> list[dict[str, Any]]:
    found = [json.loads(path.read_text()) for path in FOLDER.glob(pattern)]
    return sorted(found, key=lambda point: int(point[order]))


def level_of_client(point: dict[str, Any]) -> dict[str, Any]:
    """A serving client's summary: throughput of all GPUs together, times in ms."""
    return {
        "concurrency": point["max_concurrency"],
        "samples_ok": point["completed"],
        "throughput_tps": point["total_output_tokens"] / point["duration"],
        "throughput_in_tps": point["total_input_tokens"] / point["duration"],
        "output_speed_tps_user_p50": 1000 / point["median_tpot_ms"],
        "ttft_ms_p50": point["median_ttft_ms"],
    }


def level_of_board(point: dict[str, Any]) -> dict[str, Any]:
    """The board's own row: throughput of each GPU, times in s."""
    return {
        "concurrency": point["conc"],
        "throughput_tps": point["output_tput_per_gpu"] * point["tp"],
        "throughput_in_tps": point["input_tput_per_gpu"] * point["tp"],
        "output_speed_tps_user_p50": 1 / point["median_tpot"],
        "ttft_ms_p50": point["median_ttft"] * 1000,
    }


def loaded(levels: list[dict[str, Any]], **deployment: Any) -> list[GpuEndpointRow]:
    make_sweep(make_deployment(**deployment), levels)
    return shown_rows(gpu_endpoint_rows())


def test_gpt_oss_120b_on_16_gpus_is_the_frontier_that_was_published() -> None:
    points = published("gpt-oss-120b*.json", "max_concurrency")

    rows = loaded([level_of_client(p) for p in points], gpu_count=GPUS)

    assert [row.concurrency for row in rows] == [4, 8, 32, 128, 256]
    assert [round(row.output_speed_tps_user_p50 or 0) for row in rows] == [119, 118, 96, 67, 56]
    assert [round(row.throughput_tps_gpu or 0) for row in rows] == [29, 58, 187, 523, 873]
    assert all(row.on_frontier for row in rows)
    assert best_level(rows).concurrency == 256  # type: ignore[union-attr]


def test_output_throughput_is_tokens_over_duration() -> None:
    points = published("gpt-oss-120b*.json", "max_concurrency")

    rows = loaded([level_of_client(p) for p in points], gpu_count=GPUS)

    assert [row.throughput_tps for row in rows] == pytest.approx(
        [p["output_throughput"] for p in points], rel=1e-12
    )
    total = [(row.throughput_tps or 0) + (row.throughput_in_tps or 0) for row in rows]
    assert total == pytest.approx([p["total_token_throughput"] for p in points], rel=1e-12)


def test_the_wait_and_the_tokens_after_the_first_make_the_whole_time() -> None:
    for point in published("gpt-oss-120b*.json", "max_concurrency"):
        tokens = point["total_output_tokens"] / point["completed"]

        whole_ms = point["mean_ttft_ms"] + point["mean_tpot_ms"] * (tokens - 1)

        assert whole_ms == pytest.approx(point["mean_e2el_ms"], rel=1e-9)


def test_a_fuller_endpoint_costs_less_a_token() -> None:
    points = published("gpt-oss-120b*.json", "max_concurrency")

    rows = loaded(
        [level_of_client(p) for p in points],
        gpu_count=GPUS,
        cost_basis="rental_on_demand",
        usd_per_gpu_hour="2.50",
    )

    # 16 × 2.50 USD over 13,975.94 and 459.22 tokens/s
    assert rows[-1].usd_per_mtok_output == pytest.approx(Decimal("0.79502"), abs=Decimal("0.00001"))
    assert rows[0].usd_per_mtok_output == pytest.approx(Decimal("24.196"), abs=Decimal("0.001"))
    costs = [row.usd_per_mtok_output for row in rows]
    assert costs == sorted(costs, reverse=True)  # type: ignore[type-var]


def test_kimi_k2_5_gives_its_interactivity_and_its_shares_of_each_gpu() -> None:
    points = published("kimi-k2.5*8k1k*.json", "conc")

    rows = loaded(
        [level_of_board(p) for p in points],
        gpu=make_gpu(name="AMD Instinct MI355X", vendor="AMD", memory_gib="288"),
        gpu_count=8,
    )

    for row, point in zip(rows, points, strict=True):
        assert row.output_speed_tps_user_p50 == pytest.approx(point["median_intvty"], rel=1e-12)
        assert row.throughput_tps_gpu == pytest.approx(point["output_tput_per_gpu"], rel=1e-12)
        both = (row.throughput_tps_gpu or 0) + (row.throughput_in_tps or 0) / row.gpu_count
        assert both == pytest.approx(point["tput_per_gpu"], rel=1e-12)


def test_with_speculative_decoding_a_chunk_is_several_tokens_so_gaps_are_no_speed() -> None:
    for point in published("kimi-k2.5*.json", "conc"):
        assert 2.5 < point["median_itl"] / point["median_tpot"] < 3.1
