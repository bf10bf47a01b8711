from __future__ import annotations

import datetime as dt
import subprocess
import sys

import pytest

from leaderboard.ranking.tallies import Part
from leaderboard.ranking.window import NEVER, microseconds, read_between, read_window
from tests.factories import make_offering
from tests.measurements.factories import AS_OF, make_sample

HOUR = dt.timedelta(hours=1)


@pytest.mark.django_db
def test_both_edges_of_a_window_and_of_a_day_lie_where_they_are_said_to() -> None:
    offering = make_offering()
    for at in (AS_OF - HOUR, AS_OF - HOUR + dt.timedelta(milliseconds=1), AS_OF):
        make_sample(offering, at)

    assert read_window(as_of=AS_OF, hours=1).tallies.total().tolist() == [2]
    assert read_between(AS_OF - HOUR, AS_OF).tallies.total().tolist() == [2]


@pytest.mark.django_db
def test_a_window_shows_the_newest_version_and_a_day_one_of_each_method() -> None:
    offering = make_offering()
    for hours, version, text in ((3, "1.9.0", 1), (2, "1.10.0", 1), (1, "1.10.0", 2), (0, "1.10.0", 1)):
        make_sample(offering, AS_OF - hours * HOUR, methodology_version=version, workload_version=text)

    window, day = read_window(as_of=AS_OF, hours=5), read_between(AS_OF - 5 * HOUR, AS_OF + HOUR)

    assert (list(window.parts), window.tallies.total().tolist()) == (
        [Part("medium", "local", 2, "1.10.0")],
        [1],
    )
    assert [(part.methodology_version, part.workload_version) for part in day.parts] == [
        ("1.9.0", 1),
        ("1.10.0", 2),
    ]


@pytest.mark.django_db
def test_successes_know_their_slots_their_blocks_and_when_the_last_began() -> None:
    offering = make_offering()
    noon = dt.datetime(2026, 7, 14, 12, tzinfo=dt.UTC)
    make_sample(offering, noon, started_at=noon + dt.timedelta(seconds=5))
    make_sample(
        offering, noon - dt.timedelta(milliseconds=1), started_at=noon
    )  # still the block from 8 to 12
    make_sample(offering, noon + 9 * HOUR, outcome="timeout", ttft_ms=None, ttfat_ms=None)

    window = read_window(as_of=noon + 10 * HOUR, hours=24)

    successes = window.successes
    assert (successes.count.tolist(), successes.blocks.tolist()) == ([2], [0b001100])
    assert successes.first_us.tolist() == [microseconds(noon - dt.timedelta(milliseconds=1))]
    assert successes.last_us.tolist() == [microseconds(noon)]
    assert successes.last_started_us.tolist() == [microseconds(noon + dt.timedelta(seconds=5))]


@pytest.mark.django_db
def test_a_series_without_success_has_never_had_one() -> None:
    make_sample(make_offering(), AS_OF, outcome="empty", ttft_ms=None, ttfat_ms=None)

    successes = read_window(as_of=AS_OF, hours=1).successes

    assert (successes.count.tolist(), successes.last_started_us.tolist()) == ([0], [NEVER])


def test_numpy_is_loaded_by_the_making_of_aggregates_only() -> None:
    script = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'leaderboard.settings'\n"
        "import django; django.setup()\n"
        "import leaderboard.ranking.summarise, leaderboard.ranking.history, leaderboard.ranking.queries\n"
        "print({'numpy', 'pandas'} & set(sys.modules))"
    )

    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert said.strip() == "set()"
