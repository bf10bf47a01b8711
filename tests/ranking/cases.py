"""The shared cases: what goes in, what must come out, and which other answers a stated definition allows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "cases"


def load_cases(kind: str) -> list[Any]:
    return [json.loads(path.read_text()) for path in sorted((FOLDER / kind).glob("*.json"))]


def number(value: Any) -> Any:
    """Numbers that JSON cannot say are texts in the cases."""
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def is_same(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, float | int) and isinstance(got, float | int):
        return math.isclose(wanted, got, rel_tol=1e-9)
    return bool(wanted == got)


def differences(case: Any, got: dict[str, Any], settled: Iterable[str] = ()) -> list[str]:
    """What is neither expected nor one of the stated alternatives; settled definitions allow none."""
    is_settled = bool(case.get("hangs_on")) and set(case["hangs_on"]) <= set(settled)
    alternatives = {} if is_settled else case.get("alt", {})
    return [
        f"{key}: {wanted} wanted, {got.get(key)} got"
        for key, wanted in case["expect"].items()
        if not any(is_same(w, got.get(key)) for w in [wanted, *alternatives.get(key, [])])
    ]
