"""A change of method in the daily rows is drawn as a break: a rule with its words, and no line across it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from leaderboard.charts.marks import OUTPUT_SPEED
from leaderboard.charts.over_time import history_figure
from leaderboard.charts.theme import WIDE
from leaderboard.ranking.models import DailySummary
from leaderboard.ranking.versions import VersionChange, version_changes

FIRST = dt.date(2026, 7, 1)


def day(number: int, *, method: str = "1.0.0", text: int = 1, speed: float | None = 100.0) -> DailySummary:
    return DailySummary(
        day=FIRST + dt.timedelta(days=number),
        offering_id=7,
        methodology_version=method,
        workload_version=text,
        output_speed_tps_p50=speed,
    )


def found_in(spec: Any, key: str) -> Iterator[Any]:
    if isinstance(spec, dict):
        if key in spec:
            yield spec[key]
        for value in spec.values():
            yield from found_in(value, key)
    elif isinstance(spec, list):
        for value in spec:
            yield from found_in(value, key)


def test_the_first_day_of_another_version_is_a_change_and_the_newest_stays_the_newest() -> None:
    rows = [day(0, method="1.9.0"), day(1, method="1.9.0"), day(1, method="1.10.0"), day(2, method="1.10.0")]

    assert version_changes(rows) == [VersionChange(FIRST + dt.timedelta(days=1), 7, "method 1.10.0")]
    assert version_changes([day(0), day(1, text=2)]) == [
        VersionChange(FIRST + dt.timedelta(days=1), 7, "workload text 2")
    ]
    assert version_changes([day(0), day(1)]) == []


def test_two_methods_are_two_lines_with_a_rule_between_them() -> None:
    rows = [day(0), day(1), day(2, method="1.1.0", speed=50.0), day(3, method="1.1.0", speed=50.0)]

    spec = history_figure(rows, {7: "Acme"}, OUTPUT_SPEED, simulated=False).draw(WIDE)

    drawn = [rows for rows in found_in(spec, "values") if isinstance(rows[0], dict) and "value" in rows[0]]
    runs = [[point["value"] for point in run] for run in drawn]
    assert runs.count([100.0, 100.0]) == 1
    assert runs.count([50.0, 50.0]) == 1
    assert [100.0, 100.0, 50.0, 50.0] in runs  # the points themselves
    assert "method 1.1.0" in set(map(str, found_in(spec, "text")))


def test_without_a_change_nothing_is_marked() -> None:
    spec = history_figure([day(0), day(1)], {7: "Acme"}, OUTPUT_SPEED, simulated=False).draw(WIDE)

    assert not [name for name in found_in(spec, "name") if "mark" in str(name)]
