from __future__ import annotations

import random
import statistics

import numpy as np

from leaderboard.ranking.ordered import Ordered, known, ordered_by_series
from leaderboard.ranking.pareto import SPEED_TTFT, Point, frontier
from leaderboard.ranking.resampling import drawn_medians, frontier_shares, is_hopeless, on_frontier, uniforms

Values = dict[str, tuple[list[float], list[float]]]


def spread(middle: float, width: float, count: int = 25) -> list[float]:
    return [middle + width * (n - (count - 1) / 2) / count for n in range(count)]


def ordered(series: list[list[float]]) -> Ordered:
    values = np.array([value for one in series for value in one])
    numbers = np.array([n for n, one in enumerate(series) for _ in one], dtype=np.int64)
    return ordered_by_series(values, numbers, len(series))


def shares(points: Values, seed: str) -> dict[str, float | None]:
    speeds, waits = ([point[axis] for point in points.values()] for axis in (0, 1))
    found = frontier_shares(list(points), ordered(speeds), ordered(waits), seed=seed)
    return dict(zip(points, known(found), strict=True))


def test_a_clear_winner_is_on_every_resample_and_a_clear_loser_on_none() -> None:
    points = {"winner": (spread(300, 10), spread(100, 10)), "loser": (spread(100, 10), spread(300, 10))}

    assert shares(points, "s") == {"winner": 1.0, "loser": 0.0}


def test_two_alike_share_the_frontier_and_the_seed_repeats_it_in_any_order() -> None:
    points = {"a": (spread(300, 60), spread(100, 40)), "b": (spread(301, 60), spread(101, 40))}

    found = shares(points, "2026-07-15T12:00:00Z")

    assert found == shares(dict(reversed(points.items())), "2026-07-15T12:00:00Z")
    assert found == {"a": 0.77, "b": 0.725}


def test_points_beaten_whole_are_those_that_the_definition_names() -> None:
    source = random.Random(5)
    points = {
        f"{n}": (
            spread(source.randint(1, 9) * 10, source.choice([5, 20, 40]), source.randint(1, 30)),
            spread(source.randint(1, 9) * 10, source.choice([5, 20, 40]), source.randint(1, 30)),
        )
        for n in range(60)
    }
    speeds, waits = (ordered([point[axis] for point in points.values()]) for axis in (0, 1))

    found = is_hopeless(speeds, waits)

    slow, quick = (bound.tolist() for bound in speeds.bounds())
    soon, late = (bound.tolist() for bound in waits.bounds())
    assert found.tolist() == [
        any(slow[o] > quick[n] and late[o] < soon[n] for o in range(60)) for n in range(60)
    ]
    assert 10 < found.sum() < 55


def test_drawn_medians_spread_as_a_bootstrap_does() -> None:
    source = random.Random(3)
    values = sorted(source.lognormvariate(5, 0.4) for _ in range(25))

    normal = np.array([source.gauss(0, 1) for _ in range(4000)])
    drawn = drawn_medians(ordered([values]), normal[:, None])[:, 0].tolist()
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
    assert shares({"a": ([], [1.0]), "b": ([1.0], [1.0])}, "s") == {"a": None, "b": 1.0}
    assert shares({}, "s") == {}
