from __future__ import annotations

from xml.etree import ElementTree

import pytest

from leaderboard.charts.figures.tradeoff import tradeoff
from leaderboard.charts.rendering import draw_png, draw_svg
from leaderboard.charts.svg import tag, tidied

from .points import reference_points


@pytest.fixture(scope="module")
def svg() -> str:
    return draw_svg(tradeoff(reference_points(), width=760, noun="models"), label="Trade-off", key="t-1")


def test_root_has_a_role_a_name_and_a_description(svg: str) -> None:
    root = ElementTree.fromstring(svg)

    assert (root.get("role"), root.get("aria-label"), root.get("aria-describedby")) == (
        "group",
        "Trade-off",
        "t-1-about",
    )
    about = root.find(tag("desc"))
    assert about is not None
    assert (about.get("id"), (about.text or "")[:9]) == ("t-1-about", "25 models")


def test_picture_has_its_exact_size(svg: str) -> None:
    root = ElementTree.fromstring(svg)

    assert (root.get("width"), root.get("viewBox")) == ("760", "0 0 760 466")


def test_points_are_links_with_a_name_and_a_wide_target(svg: str) -> None:
    root = ElementTree.fromstring(svg)

    links = list(root.iter(tag("a")))
    assert len(links) == 25
    disc, mark = links[-1]
    assert (disc.get("r"), disc.get("transform")) == ("12", mark.get("transform"))
    assert mark.get("aria-roledescription") == "point"
    assert links[-1].get("href") == "https://x.test/a"


@pytest.mark.parametrize("forbidden", ["vega.github.io", " style=", "<style", "white", "xlink"])
def test_picture_holds_nothing_that_a_strict_policy_or_a_dark_page_breaks(svg: str, forbidden: str) -> None:
    assert forbidden not in svg


def test_text_takes_the_page_colour(svg: str) -> None:
    root = ElementTree.fromstring(svg)

    assert {t.get("fill") for t in root.iter(tag("text"))} == {"currentColor"}


def test_style_attributes_become_presentation_attributes_and_ids_are_prefixed() -> None:
    raw = (
        '<svg xmlns="http://www.w3.org/2000/svg"><defs><clipPath id="clip0"/></defs>'
        '<g clip-path="url(#clip0)" style="fill: none; stroke-width:2"/></svg>'
    )

    root = ElementTree.fromstring(tidied(raw, label="x", description="", key="k"))

    group = root.find(tag("g"))
    assert group is not None
    assert group.attrib == {"clip-path": "url(#k-clip0)", "fill": "none", "stroke-width": "2"}


def test_picture_is_drawn_as_png_at_twice_its_size(svg: str) -> None:
    png = draw_png(svg)

    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(png[16:20], "big") == 1520


def test_bars_are_links_that_a_finger_can_hit() -> None:
    bar = '<path aria-roledescription="bar" aria-label="a" d="M0,10h5v9h-5Z"/>'
    raw = f'<svg xmlns="http://www.w3.org/2000/svg"><a href="x">{bar}</a></svg>'

    root = ElementTree.fromstring(tidied(raw, label="x", description="", key="k", bar_target=36))

    box = next(root.iter(tag("rect")))
    assert (box.get("y"), box.get("width"), box.get("height")) == ("-3.5", "36", "36")
    assert box.get("pointer-events") == "all"
