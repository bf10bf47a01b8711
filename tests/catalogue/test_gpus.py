from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pytest

from leaderboard.catalogue.gpus import load_gpus, read_seeds
from leaderboard.catalogue.models import Gpu

pytestmark = pytest.mark.django_db

SEED = """
[[gpu]]
name = "Maker X1"
vendor = "Maker"
memory_gib = 80
board_power_w = {power}
source_url = "https://maker.example/x1"
"""


def written(folder: Path, power: int) -> Path:
    path = folder / "gpus.toml"
    path.write_text(SEED.format(power=power))
    return path


def test_load_gpus_adds_each_kind_once() -> None:
    first = load_gpus()
    second = load_gpus()

    assert first.added == len(read_seeds()) == Gpu.objects.count()
    assert (second.added, second.changed) == (0, 0)


def test_load_gpus_leaves_an_unknown_figure_empty(tmp_path: Path) -> None:
    load_gpus(written(tmp_path, 700))

    gpu = Gpu.objects.get()
    assert (gpu.memory_gib, gpu.bandwidth_gb_per_s, gpu.board_power_w) == (Decimal(80), None, Decimal(700))


def test_load_gpus_follows_a_newer_seed_but_keeps_what_an_operator_wrote(tmp_path: Path) -> None:
    load_gpus(written(tmp_path, 700))
    Gpu.objects.update(note="ours are capped", memory_gib=Decimal(79))

    loaded = load_gpus(written(tmp_path, 650))

    gpu = Gpu.objects.get()
    assert (loaded.added, loaded.changed) == (0, 1)
    assert (gpu.board_power_w, gpu.memory_gib, gpu.note) == (Decimal(650), Decimal(79), "ours are capped")


@pytest.mark.parametrize("seed", read_seeds(), ids=lambda seed: str(seed["name"]))
def test_each_seed_with_a_figure_says_where_it_was_read(seed: dict[str, object]) -> None:
    has_figure = any(seed[key] for key in ("memory_gib", "bandwidth_gb_per_s", "board_power_w"))

    assert str(seed["source_url"]).startswith("https://") == has_figure


def test_the_reference_kinds_are_among_the_seeds() -> None:
    reference = Path(__file__).with_name("reference_gpus.csv")
    seeds = {str(seed["name"]): seed for seed in read_seeds()}
    by_reference = {
        "B200": "NVIDIA B200 SXM",
        "H200": "NVIDIA H200 SXM",
        "H100": "NVIDIA H100 SXM",
        "MI300X": "AMD Instinct MI300X",
    }

    with reference.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            seed = seeds[by_reference[row["gpu"]]]
            assert seed["memory_gib"] == Decimal(row["memory_gb"])
            if row["memory_bandwidth_tb_per_s"]:
                assert seed["bandwidth_gb_per_s"] == Decimal(row["memory_bandwidth_tb_per_s"]) * 1000
            assert seed["board_power_w"] == Decimal(row["board_power_w"])


@pytest.mark.parametrize("seed", read_seeds(), ids=lambda seed: str(seed["name"]))
def test_a_seed_without_one_of_its_figures_says_why(seed: dict[str, object]) -> None:
    is_whole = all(seed[key] for key in ("memory_gib", "bandwidth_gb_per_s", "board_power_w"))

    assert is_whole or seed["note"]
