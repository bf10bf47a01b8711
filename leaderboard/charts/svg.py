"""What vl-convert leaves undone: a name and a description on the root, plain links, targets a finger can hit.

A strict content security policy blocks style attributes and the page shows several charts at once, so styles
become presentation attributes and ids carry the chart's key.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

SVG = "http://www.w3.org/2000/svg"
XLINK = "{http://www.w3.org/1999/xlink}href"
ElementTree.register_namespace("", SVG)

LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
TARGET_RADIUS = 12
BAR_PATH = re.compile(r"M([\d.-]+),([\d.-]+)h([\d.]+)v([\d.]+)h")
MANY_LINKS = 120
NAME_SEPARATOR = "\u2063"


def tag(name: str) -> str:
    return f"{{{SVG}}}{name}"


def tidied(raw: str, *, label: str, description: str, key: str, bar_target: float = 24) -> str:
    """`bar_target` is how high a bar's link must be, in the picture's own pixels, to be 24 px as shown."""
    root = ElementTree.fromstring(raw)  # noqa: S314
    parents = {child: parent for parent in root.iter() for child in parent}
    _drop_empty(root, parents)
    for element in root.iter():
        _plain_attributes(element)
        _split_names(element)
    _hush_empty(root)
    _prefix_ids(root, key)
    _widen_targets(root)
    _widen_bars(root, bar_target)
    _name_root(root, label=label, description=description, key=key)
    return ElementTree.tostring(root, encoding="unicode")


def _drop_empty(root: ElementTree.Element, parents: dict[ElementTree.Element, ElementTree.Element]) -> None:
    """Vega writes an invisible background and foreground for every group: a third of the file's weight."""
    for element in list(root.iter(tag("path"))):
        is_frame = element.get("class") in ("background", "foreground")
        if is_frame and element.get("stroke") is None and element.get("fill") is None:
            parents[element].remove(element)


def _hush_empty(root: ElementTree.Element) -> None:
    """A layer without a mark is no graphic to be named."""
    for element in root.iter(tag("g")):
        if element.get("role") == "graphics-symbol" and not len(element):
            for name in ("role", "aria-roledescription", "aria-label"):
                element.attrib.pop(name, None)


def _plain_attributes(element: ElementTree.Element) -> None:
    if XLINK in element.attrib:
        element.set("href", element.attrib.pop(XLINK))
    for name, value in [*element.attrib.items()]:
        if name == "opacity" and value == "1":
            del element.attrib[name]
        elif name == "style":
            del element.attrib[name]
            for part in value.split(";"):
                prop, _, setting = part.partition(":")
                if setting.strip():
                    element.set(prop.strip(), setting.strip())
        elif name in ("transform", "d", "x", "y", "x1", "y1", "x2", "y2"):
            element.set(
                name, LONG_NUMBER.sub(lambda m: f"{float(m.group()):.2f}".rstrip("0").rstrip("."), value)
            )
    element.attrib.pop("font-family", None)


def _split_names(element: ElementTree.Element) -> None:
    """Text with a separator becomes two spans, the second with the class `aside`."""
    if element.tag != tag("text") or not element.text or NAME_SEPARATOR not in element.text:
        return
    name, _, aside = element.text.partition(NAME_SEPARATOR)
    element.text = name.rstrip()
    span = ElementTree.SubElement(element, tag("tspan"), {"class": "aside", "dx": "0.5em"})
    span.text = aside


def _prefix_ids(root: ElementTree.Element, key: str) -> None:
    ids = {e.get("id", ""): f"{key}-{e.get('id')}" for e in root.iter() if e.get("id")}
    for element in root.iter():
        for name, value in [*element.attrib.items()]:
            if name == "id":
                element.set("id", ids[value])
            elif value.startswith("url(#"):
                element.set(name, f"url(#{ids.get(value[5:-1], value[5:-1])})")


def _widen_targets(root: ElementTree.Element) -> None:
    """An unseen disc of 24 px in each point's link; where points crowd, the table is the way to one of them."""
    links = [a for a in root.iter(tag("a")) if any(c.get("aria-roledescription") == "point" for c in a)]
    if len(links) > MANY_LINKS:
        return
    for link in links:
        place = link[0].get("transform", "")
        disc = {"r": str(TARGET_RADIUS), "fill": "none", "pointer-events": "all", "aria-hidden": "true"}
        link.insert(0, ElementTree.Element(tag("circle"), {**disc, "transform": place}))


def _widen_bars(root: ElementTree.Element, height: float) -> None:
    """An unseen box round each bar that is a link: a bar is thinner than a finger."""
    for link in root.iter(tag("a")):
        bar = next((c for c in link if c.get("aria-roledescription") == "bar"), None)
        place = BAR_PATH.match(bar.get("d", "")) if bar is not None else None
        if place is None:
            continue
        x, y, width, thickness = (float(number) for number in place.groups())
        box = {
            "x": f"{x:g}",
            "y": f"{y + (thickness - height) / 2:g}",
            "width": f"{max(width, height):g}",
            "height": f"{height:g}",
        }
        unseen = {"fill": "none", "pointer-events": "all", "aria-hidden": "true"}
        link.insert(0, ElementTree.Element(tag("rect"), box | unseen))


def _name_root(root: ElementTree.Element, *, label: str, description: str, key: str) -> None:
    root.attrib.pop("version", None)
    root.set("role", "group")
    root.set("aria-label", label)
    if description:
        root.set("aria-describedby", f"{key}-about")
        about = ElementTree.Element(tag("desc"), {"id": f"{key}-about"})
        about.text = description
        root.insert(0, about)
