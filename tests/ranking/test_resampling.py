from __future__ import annotations

import random
import statistics

import numpy as np

from leaderboard.ranking.pareto import SPEED_TTFT, Point, frontier
from leaderboard.ranking.resampling import Resampled, frontier_shares, on_frontier, quantiles, uniforms


def spread(middle: float, width: float, count: int = 25) -> list[float]:
    return [middle + width * (n - (count - 1) / 2) / count for n in range(count)]


def test_a_clear_winner_is_on_every_resample_and_a_clear_loser_on_none() -> None:
    points = [
        Resampled("winner", spread(300, 10), spread(100, 10)),
        Resampled("loser", spread(100, 10), spread(300, 10)),
    ]

    assert frontier_shares(points, seed="s") == {"winner": 1.0, "loser": 0.0}


def test_two_alike_share_the_frontier_and_the_seed_repeats_it() -> None:
    points = [
        Resampled("a", spread(300, 60), spread(100, 40)),
        Resampled("b", spread(301, 60), spread(101, 40)),
    ]

    shares = frontier_shares(points, seed="2026-07-15T12:00:00Z")

    assert shares == frontier_shares(list(reversed(points)), seed="2026-07-15T12:00:00Z")
    assert shares == {"a": 0.77, "b": 0.725}


def test_drawn_medians_spread_as_a_bootstrap_does() -> None:
    source = random.Random(3)
    values = sorted(source.lognormvariate(5, 0.4) for _ in range(25))

    normal = np.array([source.gauss(0, 1) for _ in range(4000)])
    drawn = quantiles([values], normal[:, None])[:, 0].tolist()
    bootstrap = [statistics.median(source.choices(values, k=25)) for _ in range(4000)]

    ours, theirs = statistics.quantiles(drawn, n=20), statistics.quantiles(bootstrap, n=20)
    for mine, other in ((ours[0], theirs[0]), (ours[9], theirs[9]), (ours[18], theirs[18])):
        assert abs(mine - other) < 0.05 * other


def test_draws_are_those_of_pythons_own_generator() -> None:
    source = random.Random("2026-07-15T12:00:00Z local short False")

    drawn = uniforms("2026-07-15T12:00:00Z local short False", 2000)

    assert drawn.tolist() == [source.random() for _ in range(2000)]


def test_the_quick_sweep_finds_the_same_frontier_as_the_definition() -> None:
    source = random.Random(11)
    rows = [
        [(float(source.randint(1, 6)), float(source.randint(1, 6))) for _ in range(12)] for _ in range(200)
    ]

    swept = on_frontier(np.array(rows))

    for row, marks in zip(rows, swept, strict=True):
        points = [Point(f"{n:02d}", pair) for n, pair in enumerate(row)]
        assert [p.id for p, mark in zip(points, marks, strict=True) if mark] == sorted(
            frontier(points, SPEED_TTFT).ids
        )


def test_points_without_both_figures_have_no_share() -> None:
    assert frontier_shares([Resampled("a", [], [1.0])], seed="s") == {}
    assert frontier_shares([], seed="s") == {}
