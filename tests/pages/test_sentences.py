from __future__ import annotations

import pytest

from leaderboard.pages.sentences import Entry, count_of, frontier_sentence, leader_sentence, listed, ratio


def fastest(*values: float) -> str:
    entries = [Entry(name, value) for name, value in zip("ABCDE", values, strict=False)]
    return leader_sentence(entries, unit="tokens/s", lead="fastest")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ((), ""),
        ((50,), "A is the only one measured, at 50 tokens/s."),
        ((3502, 3129), "A is fastest at 3,502 tokens/s, 1.1 times the speed of B (3,129)."),
        ((100, 400, 50), "B is fastest at 400 tokens/s, 4 times the speed of A (100)."),
        ((50, 50), "A and B share the lead at 50 tokens/s."),
        ((50, 50, 50, 10), "A, B and C share the lead at 50 tokens/s."),
        ((50, 50, 50, 50), "4 share the lead at 50 tokens/s."),
    ],
)
def test_leader_is_named_with_its_lead(values: tuple[float, ...], sentence: str) -> None:
    assert fastest(*values) == sentence


def test_soonest_is_compared_by_time() -> None:
    entries = [Entry("A", 205), Entry("B", 410)]

    words = leader_sentence(entries, unit="ms", lead="soonest", lower_is_better=True)

    assert words == "A is soonest at 205 ms, 50 % of the time of B (410)."


@pytest.mark.parametrize(
    ("on", "compared", "start"),
    [(2, 25, "Two of 25 models are on"), (1, 1, "One of 1 model is on"), (12, 90, "12 of 90 models are on")],
)
def test_frontier_is_counted(on: int, compared: int, start: str) -> None:
    assert frontier_sentence(on, compared, "model").startswith(start)


def test_frontier_of_nothing_says_nothing() -> None:
    assert frontier_sentence(0, 0, "model") == ""


def test_provisional_frontier_says_so() -> None:
    assert "on the provisional frontier" in frontier_sentence(1, 2, "model", provisional=True)


def test_small_words() -> None:
    assert count_of(1, "model") == "One model"
    assert count_of(0, "model") == "No models"
    assert count_of(214, "model") == "214 models"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert ratio(1844.1, 484.8) == "3.8 times"
    assert ratio(100, 2) == "50 times"
