from __future__ import annotations

import datetime as dt

import pytest

from leaderboard.ranking.standing import ALL_BLOCKS, freshness_of, is_ranked, standing_of

NOON = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("count", "hours", "blocks", "standing"),
    [
        (7, 300, ALL_BLOCKS, "provisional"),
        (8, 19.99, ALL_BLOCKS, "provisional"),
        (8, 20, 0b000001, "preliminary"),
        (19, 66, ALL_BLOCKS, "preliminary"),
        (20, 65.99, ALL_BLOCKS, "preliminary"),
        (20, 66, 0b111110, "preliminary"),
        (20, 66, ALL_BLOCKS, "official"),
    ],
)
def test_standing_needs_samples_a_span_and_all_blocks(
    count: int, hours: float, blocks: int, standing: str
) -> None:
    assert standing_of(count, span_s=hours * 3600, blocks=blocks) == standing


def test_no_success_at_all_is_provisional_and_without_data() -> None:
    assert standing_of(0, span_s=0.0, blocks=0) == "provisional"
    assert freshness_of(None, as_of=NOON, interval_s=60) == "no_data"


@pytest.mark.parametrize(
    ("age_h", "interval_h", "freshness"),
    [
        (6, 3, "fresh"),
        (6.01, 3, "late"),
        (12, 3, "late"),
        (12.01, 3, "stale"),
        (0.04, 1 / 60, "late"),
        (12, 1 / 60, "late"),
        (48, 24, "fresh"),
        (96, 24, "late"),
        (96.01, 24, "stale"),
    ],
)
def test_freshness_counts_intervals_since_the_last_success(
    age_h: float, interval_h: float, freshness: str
) -> None:
    last_ok_at = NOON - dt.timedelta(hours=age_h)

    assert freshness_of(last_ok_at, as_of=NOON, interval_s=interval_h * 3600) == freshness


def test_only_judged_and_living_rows_are_ranked() -> None:
    assert is_ranked("preliminary", "late")
    assert not is_ranked("provisional", "fresh")
    assert not is_ranked("official", "stale")
