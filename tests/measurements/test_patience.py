from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import IntegrityError, InternalError, OperationalError

from leaderboard.measurements.patience import patiently


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def failing(times: int, error: Exception) -> Callable[[], str]:
    left = [error] * times

    def act() -> str:
        if left:
            raise left.pop()
        return "stored"

    return act


@pytest.mark.parametrize("error", [OperationalError("gone"), InternalError("read-only")])
def test_database_that_is_away_is_waited_for(error: Exception) -> None:
    clock = Clock()

    done = patiently(failing(5, error), now_s=lambda: clock.now, sleep=clock.sleep)

    assert done == "stored"
    assert clock.slept == [0.5, 1.0, 2.0, 4.0, 5.0]


def test_patience_ends_with_the_last_error() -> None:
    clock = Clock()

    with pytest.raises(OperationalError, match="gone"):
        patiently(
            failing(99, OperationalError("gone")), patience_s=20, now_s=lambda: clock.now, sleep=clock.sleep
        )

    assert sum(clock.slept) <= 20


def test_wrong_row_is_not_tried_again() -> None:
    clock = Clock()

    with pytest.raises(IntegrityError):
        patiently(failing(1, IntegrityError("no such offering")), now_s=lambda: clock.now, sleep=clock.sleep)

    assert clock.slept == []
