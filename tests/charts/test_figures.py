"""Every figure at both widths: a valid Vega-Lite spec, strict JSON, of exact size, and drawn without an empty name."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import altair as alt
import pytest
from altair.utils import schemapi

from leaderboard.charts.figures.bars import bars
from leaderboard.charts.figures.comparison import answer_time, comparison
from leaderboard.charts.figures.distribution import distribution
from leaderboard.charts.figures.history import history
from leaderboard.charts.figures.hours import hours_of_day
from leaderboard.charts.figures.prices import price_history
from leaderboard.charts.figures.ratios import ratios
from leaderboard.charts.figures.reliability import grade, reliability_strip
from leaderboard.charts.figures.spread import spread
from leaderboard.charts.figures.tradeoff import tradeoff
from leaderboard.charts.figures.work import hours_of_work
from leaderboard.charts.lines import Compared, Day, Hour, Line, Mark, Spread, Step
from leaderboard.charts.marks import FIRST_TOKEN, OUTPUT_SPEED
from leaderboard.charts.rendering import draw_svg, strict_json
from leaderboard.charts.theme import WEIGHTS_COLOURS, Width
from leaderboard.ranking.watching import HourOfWork

from .points import make_bar, reference_points

Spec = dict[str, Any]
TODAY = dt.date(2026, 7, 15)
NOON = dt.datetime(2026, 7, 15, 12, tzinfo=dt.UTC)


def make_spread(**fields: Any) -> Spread:
    defaults: dict[str, Any] = {
        "id": "a~m", "name": "Alpha", "href": "https://x.test/a", "weights": "open", "p05": 50.0, "p25": 80.0,
        "p50": 100.0, "p75": 110.0, "p95": 130.0, "low": 95.0, "high": 105.0,
    }  # fmt: skip
    return Spread(**defaults | fields)


def make_line(values: list[float | None], name: str = "Alpha") -> Line:
    days = [TODAY - dt.timedelta(days=len(values) - 1 - i) for i in range(len(values))]
    return Line(id=name, name=name, values=tuple(zip(days, values, strict=True)))


def make_day(ago: int, **fields: Any) -> Day:
    defaults: dict[str, Any] = {
        "on": TODAY - dt.timedelta(days=ago), "scheduled": 8, "total": 8, "ok": 8, "timeouts": 0,
        "rate_limited": 0, "server_errors": 0, "other": 0, "success_rate": 1.0,
    }  # fmt: skip
    return Day(**defaults | fields)


def make_compared(name: str, speed: float | None) -> Compared:
    return Compared(
        id=name, name=name, href="https://x.test/a", weights="open", speed=speed, speed_low=speed,
        speed_high=speed, ttft=200.0, ttft_low=180.0, ttft_high=230.0, success=0.99, price=None,
    )  # fmt: skip


HOURS = [
    Hour(hour=h, samples=h % 3, p25=90.0, p50=100.0 + h if h != 5 else None, p75=140.0) for h in range(24)
]
WORK = [
    HourOfWork(
        starts_at=NOON - dt.timedelta(hours=47 - h),
        probe_location="local",
        planned=8 if h else 0,
        done=h % 9,
        missed=0,
    )
    for h in range(48)
]
STEPS = [
    Step(since=NOON - dt.timedelta(days=200), value=0.5, verified_at=NOON - dt.timedelta(days=100)),
    Step(since=NOON - dt.timedelta(days=90), value=0.2, verified_at=NOON - dt.timedelta(days=80)),
]
FIGURES: dict[str, Callable[[Width], Spec]] = {
    "bars": lambda w: bars([make_bar(low=40.0, high=70.0)], width=w, unit="ms", title="First token"),
    "tradeoff": lambda w: tradeoff(reference_points(), width=w, noun="models"),
    "spread": lambda w: spread(
        [make_spread(), make_spread(id="b~m", p05=None, low=None)], axis=FIRST_TOKEN, width=w
    ),
    "history": lambda w: history(
        [make_line([1.0, None, 3.0, 4.0])],
        axis=OUTPUT_SPEED,
        width=w,
        marks=[Mark(on=TODAY, words="method 1.1")],
    ),
    "prices": lambda w: price_history(STEPS, STEPS[:1], until=NOON, width=w),
    "distribution": lambda w: distribution(
        [100.0 + i for i in range(101)], axis=FIRST_TOKEN, count=30, width=w
    ),
    "hours": lambda w: hours_of_day(HOURS, axis=OUTPUT_SPEED, width=w),
    "reliability": lambda w: reliability_strip(
        [make_day(0), make_day(1, success_rate=0.9)], until=TODAY, width=w
    ),
    "comparison": lambda w: comparison([make_compared("a", 100.0), make_compared("b", None)], width=w),
    "answer-time": lambda w: answer_time([make_compared("a", 100.0)], tokens=500, width=w),
    "ratios": lambda w: ratios(
        [make_bar(value=1.5), make_bar(id="b", value=0.4)], width=w, title="× the median"
    ),
    "work": lambda w: hours_of_work(WORK, width=w),
}
WIDTHS: tuple[Width, ...] = (760, 300)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", FIGURES)
def test_figure_is_a_valid_spec_and_a_picture_of_its_size(name: str, width: Width) -> None:
    spec = FIGURES[name](width)

    with schemapi.debug_mode(True):
        known = {key: value for key, value in spec.items() if key != "background"}
        alt.LayerChart.from_dict(known, validate=True)
    svg = draw_svg(spec, label=name, key="k")

    assert strict_json(spec)
    root = ElementTree.fromstring(svg)
    assert root.get("width") == str(width)
    assert all(e.get("aria-label") != "" for e in root.iter())
    assert "NaN" not in svg
    assert "Infinity" not in svg


@pytest.mark.parametrize("width", WIDTHS)
def test_figures_of_nothing_say_so(width: Width) -> None:
    empty = {
        "spread": spread([], axis=OUTPUT_SPEED, width=width),
        "history": history([], axis=OUTPUT_SPEED, width=width),
        "hours": hours_of_day([], axis=OUTPUT_SPEED, width=width),
        "distribution": distribution([], axis=FIRST_TOKEN, count=0, width=width),
    }

    for name, spec in empty.items():
        assert "nothing to draw yet" in spec["description"], name
        assert draw_svg(spec, label=name, key="k").startswith("<svg")


def test_a_gap_is_a_gap() -> None:
    spec = history([make_line([1.0, 2.0, None, 4.0, 5.0])], axis=OUTPUT_SPEED, width=760)

    runs = [layer for layer in spec["layer"] if layer.get("mark", {}).get("type") == "line"]
    assert [[row["value"] for row in run["data"]["values"]] for run in runs] == [[1.0, 2.0], [4.0, 5.0]]


def test_names_at_the_ends_of_lines_are_pushed_apart() -> None:
    lines = [make_line([100.0, 100.0], name=f"P{i}") for i in range(8)]

    spec = history(lines, axis=OUTPUT_SPEED, width=760)

    names = next(layer for layer in spec["layer"] if layer.get("name") == "names")["data"]["values"]
    heights = sorted(row["py"] for row in names)
    assert min(b - a for a, b in pairwise(heights)) >= 12.5


def named_layers(spec: Spec, name: str) -> list[Spec]:
    """The layers called that, numbered ones included."""
    return [layer for layer in spec["layer"] if layer.get("name", "").partition("_")[0] == name]


def test_names_of_a_crowd_at_the_foot_move_up_and_stay_inside_the_plot() -> None:
    lines = [make_line([500.0, 500.0], name="top")] + [make_line([1.0, 1.0], name=f"P{i}") for i in range(7)]

    spec = history(lines, axis=OUTPUT_SPEED, width=760)

    heights = sorted(row["py"] for layer in named_layers(spec, "names") for row in layer["data"]["values"])
    assert heights[-1] <= spec["height"]
    assert min(b - a for a, b in pairwise(heights)) >= 12.5


def test_key_on_a_phone_shows_each_line_as_it_is_drawn() -> None:
    lines = [make_line([1.0, 2.0], name=f"P{i}") for i in range(6)]

    spec = history(lines, axis=OUTPUT_SPEED, width=300)

    pieces = named_layers(spec, "key")
    drawn = [layer["mark"] for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    assert [(p["mark"]["color"], p["mark"]["strokeDash"]) for p in pieces] == [
        (mark["color"], mark["strokeDash"]) for mark in drawn
    ]
    names = [row for layer in named_layers(spec, "names") for row in layer["data"]["values"]]
    assert [p["data"]["values"][0]["py"] for p in pieces] == [row["py"] for row in names]


def test_names_stand_above_their_dots_on_a_phone() -> None:
    spec = comparison([make_compared("a", 100.0), make_compared("b", 50.0)], width=300)

    names, dots = named_layers(spec, "names")[0], named_layers(spec, "points")[0]
    gaps = [
        dot["py"] - name["py"]
        for name, dot in zip(names["data"]["values"], dots["data"]["values"], strict=True)
    ]
    assert gaps == [16, 16]


def test_colour_of_a_time_says_nothing_of_weights() -> None:
    spec = answer_time([make_compared("a", 100.0)], tokens=500, width=760)

    rows = next(layer for layer in spec["layer"] if layer.get("name") == "bars")["data"]["values"]
    assert not {row["fill"] for row in rows} & set(WEIGHTS_COLOURS.values())


@pytest.mark.parametrize(
    ("rate", "word"), [(1.0, "good"), (0.995, "good"), (0.97, "fair"), (0.9, "poor"), (None, "none")]
)
def test_days_are_graded(rate: float | None, word: str) -> None:
    assert grade(make_day(0, success_rate=rate)) == word


def test_a_day_without_attempts_is_never_green_and_our_own_silence_is_marked() -> None:
    spec = reliability_strip([make_day(0, total=0, ok=0, success_rate=None)], until=TODAY, width=760)

    cells = next(layer for layer in spec["layer"] if layer.get("name") == "days")["data"]["values"]
    assert len(cells) == 90
    assert (cells[-1]["fill"], cells[-1]["glyph"]) == ("none", "!")
    assert cells[-1]["description"] == "2026-07-15, our probes were down"
    assert (cells[0]["fill"], cells[0]["description"][-7:]) == ("none", "no data")


def test_price_is_dashed_a_month_after_it_was_seen() -> None:
    spec = price_history(STEPS, [], until=NOON, width=760)

    dashed = [layer for layer in spec["layer"] if layer.get("name", "").startswith("unchecked")]
    assert [len(layer["data"]["values"]) for layer in dashed] == [1]


def test_answer_takes_the_wait_and_the_generation() -> None:
    spec = answer_time([make_compared("a", 100.0)], tokens=500, width=760)

    rows = next(layer for layer in spec["layer"] if layer.get("name") == "bars")["data"]["values"]
    assert [row["description"] for row in rows] == ["a, first token, 0.20 s", "a, 500 tokens, 5.00 s"]
    assert rows[1]["text"] == "5.20"
