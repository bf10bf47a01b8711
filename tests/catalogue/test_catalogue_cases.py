"""The catalogue cases of public bug reports; a new case of the kind needs no new code here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.catalogue.intake import judge_row

CASES = sorted((Path(__file__).parent.parent / "cases" / "catalogue").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_catalogue_case(path: Path) -> None:
    case = json.loads(path.read_text())

    judged = judge_row(case["input"]["row"], case["input"]["existing"])

    assert judged.action == case["expect"]["action"], judged.reason
    for key, expected in case["expect"]["normalized"].items():
        assert judged.normalized.get(key) == expected, key


def test_there_are_catalogue_cases() -> None:
    assert len(CASES) >= 15
