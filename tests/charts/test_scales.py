from __future__ import annotations

import pytest

from leaderboard.charts.scales import is_drawable, linear_scale, log_scale


@pytest.mark.parametrize(
    ("values", "domain"),
    [([205, 8270], [200, 10_000]), ([100, 1000], [100, 1000]), ([200], [100, 500]), ([], [1, 10])],
)
def test_log_domain_is_rounded_out_to_steps(values: list[float], domain: list[float]) -> None:
    assert log_scale(values, 694).domain == domain


def test_reversed_axis_starts_at_its_largest_value() -> None:
    scale = log_scale([205, 8270], 694, reversed_=True)

    assert scale.domain == [10_000, 200]
    assert scale.to_px(10_000) == 0
    assert scale.to_px(200) == pytest.approx(694)


def test_close_steps_are_thinned_to_powers_of_ten() -> None:
    assert log_scale([1, 100_000], 260).ticks == (1, 10, 100, 1000, 10_000, 100_000)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([3502], (0, 1000, 2000, 3000, 4000)),
        ([3.2], (0, 1, 2, 3, 4)),
        ([70], (0, 20, 40, 60, 80)),
        ([], (0, 0.2, 0.4, 0.6, 0.8, 1)),
    ],
)
def test_linear_axis_starts_at_zero_and_ends_round(values: list[float], ticks: tuple[float, ...]) -> None:
    assert linear_scale(values, 380).ticks == ticks


@pytest.mark.parametrize(
    ("value", "is_log", "answer"),
    [
        (0.0, True, False),
        (0.0, False, True),
        (None, False, False),
        (float("nan"), True, False),
        (-1.0, False, False),
    ],
)
def test_only_values_with_a_place_are_drawn(value: float | None, is_log: bool, answer: bool) -> None:
    assert is_drawable(value, is_log=is_log) is answer
