from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from leaderboard.ranking.choosing import Need, answer_ms, choose
from leaderboard.ranking.queries import leaderboard_rows, rows_of_snapshot
from leaderboard.ranking.rows import LeaderboardRow

from .factories import make_saved_snapshot, make_summary

pytestmark = pytest.mark.django_db


@pytest.fixture
def row() -> LeaderboardRow:
    """1,000 ms to the answer, 100 tokens/s, 1 USD in, 4 out, 0.1 cached."""
    rows_of_snapshot.cache_clear()
    snapshot = make_saved_snapshot()
    make_summary(
        snapshot,
        output_speed_tps_p50=100.0,
        ttfat_ms_p50=1000.0,
        input_usd_per_mtok="1",
        output_usd_per_mtok="4",
        cache_read_usd_per_mtok="0.1",
    )
    return leaderboard_rows(snapshot)[0]


def test_time_and_cost_of_one_use(row: LeaderboardRow) -> None:
    need = Need(input=1000, cached=500, output=200, requests=10_000)

    (found,) = choose([row], need).fitting

    assert found.answer_ms == 3000.0
    assert found.usd_per_day == Decimal("13.5")


def test_ranked_by_cost_then_time_with_slow_untimed_and_unpriced_apart(row: LeaderboardRow) -> None:
    rows = [
        replace(row, offering_id="dear", output_usd_per_mtok=Decimal(40)),
        replace(row, offering_id="cheap-late", ttfat_ms_p50=2000.0),
        replace(row, offering_id="cheap-soon"),
        replace(
            row,
            offering_id="free",
            input_usd_per_mtok=Decimal(0),
            output_usd_per_mtok=Decimal(0),
            cache_read_usd_per_mtok=None,
        ),
        replace(row, offering_id="unknown", output_usd_per_mtok=None),
        replace(row, offering_id="slow", output_speed_tps_p50=1.0),
        replace(row, offering_id="mute", ttfat_ms_p50=None),
        replace(row, offering_id="new", standing="provisional"),
    ]

    found = choose(rows, Need(limit_ms=10_000))

    assert [c.row.offering_id for c in found.fitting] == ["free", "cheap-soon", "cheap-late", "dear"]
    assert [c.row.offering_id for c in found.unpriced] == ["unknown"]
    assert (found.too_slow, found.untimed) == (1, 1)
    assert found.fitting[0].usd_per_day == Decimal(0)


def test_model_agrees_with_the_published_500_tokens(row: LeaderboardRow) -> None:
    worked = replace(row, ttfat_ms_p50=7400.0, output_speed_tps_p50=296.47)

    assert answer_ms(worked, 500) == pytest.approx(9086.5, abs=0.05)
