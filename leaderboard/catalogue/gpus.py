"""The seed list of hardware: read from gpus.toml and put into the catalogue, any number of times.

A figure an operator has changed stays: only what the seed file itself wrote last is written again.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from leaderboard.catalogue.models import Gpu

SEEDS = Path(__file__).with_name("gpus.toml")
FIGURES = ("memory_gib", "bandwidth_gb_per_s", "board_power_w")
TEXTS = ("vendor", "source_url", "note")


@dataclass(frozen=True, slots=True)
class Loaded:
    """How many kinds were new, how many were changed to a newer seed."""

    added: int
    changed: int


def read_seeds(path: Path = SEEDS) -> list[dict[str, Any]]:
    """Each kind as its fields; a figure that is not there is None."""
    with path.open("rb") as file:
        entries = tomllib.load(file, parse_float=Decimal)["gpu"]
    return [
        {"name": e["name"]}
        | {key: None if e.get(key) is None else Decimal(e[key]) for key in FIGURES}
        | {key: e.get(key, "") for key in TEXTS}
        for e in entries
    ]


def load_gpus(path: Path = SEEDS) -> Loaded:
    """Idempotent; one query to read and one for each kind that is new or changed."""
    known = {gpu.name: gpu for gpu in Gpu.objects.all()}
    added = changed = 0
    for seed in read_seeds(path):
        written = {key: None if seed[key] is None else str(seed[key]) for key in FIGURES + TEXTS}
        gpu = known.get(seed["name"])
        if gpu is None:
            Gpu.objects.create(**seed, from_seed=written)
            added += 1
        elif gpu.from_seed != written:
            for key in FIGURES + TEXTS:
                if untouched(gpu, key):
                    setattr(gpu, key, seed[key])
            gpu.from_seed = written
            gpu.save()
            changed += 1
    return Loaded(added, changed)


def untouched(gpu: Gpu, key: str) -> bool:
    """Whether the field still holds what the seed file last wrote there."""
    value, last = getattr(gpu, key), gpu.from_seed.get(key)
    if key in FIGURES and value is not None and last is not None:
        return bool(value == Decimal(last))
    return bool(value == (last if key in FIGURES else last or ""))
