"""A picture to carry away: title above, where it is from below, on paper of its own. For .svg and .png."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

from leaderboard.charts import theme
from leaderboard.charts.svg import tag

HEAD, FOOT, MARGIN = 44, 40, 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Imprint:
    """What the picture must say when it has left the site."""

    title: str
    as_of: str
    method: str
    address: str

    @property
    def lines(self) -> tuple[str, str]:
        return (
            f"Provider Leaderboard, as of {self.as_of}, method {self.method}, CC BY 4.0",
            self.address,
        )


def standalone(svg: str, imprint: Imprint) -> str:
    """The inline picture with paper, ink and words of its own; its size grows by the head, foot and margins."""
    inner = ElementTree.fromstring(svg)  # noqa: S314
    width, height = float(inner.get("width", "0")), float(inner.get("height", "0"))
    outer_width, outer_height = width + 2 * MARGIN, height + HEAD + FOOT + MARGIN
    root = ElementTree.Element(
        tag("svg"),
        {
            "width": f"{outer_width:g}",
            "height": f"{outer_height:g}",
            "viewBox": f"0 0 {outer_width:g} {outer_height:g}",
            "role": "img",
            "aria-label": inner.get("aria-label", imprint.title),
            "color": "#16181d",
            "font-family": theme.FONT,
        },
    )
    ElementTree.SubElement(root, tag("rect"), {"width": "100%", "height": "100%", "fill": theme.PAPER})
    _line(root, MARGIN, 28, 17, imprint.title, weight="600")
    inner.set("x", f"{MARGIN}")
    inner.set("y", f"{HEAD}")
    root.append(inner)
    for number, words in enumerate(imprint.lines):
        _line(root, MARGIN, HEAD + height + 22 + 16 * number, 11.5, words, weight="400")
    return ElementTree.tostring(root, encoding="unicode")


def _line(root: ElementTree.Element, x: float, y: float, size: float, words: str, *, weight: str) -> None:
    places = {"x": f"{x:g}", "y": f"{y:g}", "font-size": f"{size:g}", "font-weight": weight}
    text = ElementTree.SubElement(root, tag("text"), {**places, "fill": "currentColor"})
    text.text = words
