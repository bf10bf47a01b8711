"""Passing charts and pages on: the code of an embedded chart, and the addresses by which a page is shared."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from html import escape
from urllib.parse import quote, unquote, urlencode, urlsplit

from django.http import QueryDict

from leaderboard.charts.pictures import pictures
from leaderboard.charts.theme import NARROW, WIDE
from leaderboard.pages.places import Place, is_name
from leaderboard.ranking.filters import BadFilter, Filters, parse_filters

SVG_SIZE = re.compile(r'<svg [^>]*?\bheight="([\d.]+)"')
# Where the style sheet changes from the narrow picture to the wide one, in px.
WIDE_FROM = 641
BESIDE, ROUND = 32, 110
"""Pixels of an embedded page beside the picture, and of its heading, foot and margins."""
LEAST_WIDTH = 200
# Pages whose chart has another name than their path.
CHART_OF_PAGE = {"": "tradeoff"}
CARD_PAGES = re.compile(r"models/[^/]+/[^/]+|(?:providers|offerings)/[^/]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """An embedded chart as code to paste: its address and its size in CSS pixels."""

    address: str
    title: str
    width: int
    height: int

    @property
    def html(self) -> str:
        return (
            f'<iframe src="{escape(self.address)}" title="{escape(self.title)}" width="{self.width}" '
            f'height="{self.height}" loading="lazy" style="border:0;max-width:100%"></iframe>'
        )


def embed_path(name: str, filters: Filters) -> str:
    query = filters.query(leave_out=("page", "view"))
    return f"/embed/{quote(name, safe='/~')}/" + (f"?{query}" if query else "")


def frame_of(
    place: Place,
    filters: Filters,
    *,
    origin: str,
    max_width: int | None = None,
    max_height: int | None = None,
) -> Frame:
    """As wide as the chart or as `max_width` allows, and as high as its picture then is."""
    width = max(LEAST_WIDTH, min(WIDE + BESIDE, max_width or WIDE + BESIDE))
    drawn = WIDE if width >= WIDE_FROM else NARROW
    svg = pictures([place.figure])[place.figure.chart].svgs[drawn]
    size = SVG_SIZE.search(svg)
    height = round((float(size[1]) if size else 400) * (width - BESIDE) / drawn) + ROUND
    return Frame(
        address=origin + embed_path(place.name, filters),
        title=place.title,
        width=min(width, max_width or width),
        height=min(height, max_height or height),
    )


def frozen_instant(as_of: dt.datetime) -> dt.datetime:
    """The last second of the day before: of finished days one snapshot is kept for ever, their last."""
    midnight = as_of.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - dt.timedelta(seconds=1)


def asked_view(address: str, *, hosts: set[str]) -> tuple[str, Filters] | None:
    """The chart that stands for a page of ours or an embedded page, and its view; None for any other address."""
    try:
        parts = urlsplit(address)
        filters = parse_filters(QueryDict(parts.query))
    except (ValueError, BadFilter):
        return None
    if parts.scheme not in ("http", "https") or parts.netloc not in hosts:
        return None
    path = unquote(parts.path)
    name = path.strip("/").removeprefix("embed/")
    name = CHART_OF_PAGE.get(name, name) if path.endswith("/") or not path else ""
    return (name, filters) if is_name(name) else None


def embedding_page_of(svg: str) -> str:
    """Where a chart's file says how to embed it; empty for a chart that cannot be embedded."""
    path, _, query = svg.partition("?")
    name = unquote(path).removeprefix("/").removeprefix("charts/").removesuffix(".svg")
    return f"/embed/?{urlencode({'of': name})}{'&' if query else ''}{query}" if is_name(name) else ""


def oembed_path(url: str) -> str:
    """The oEmbed answer for a page's address; empty where the page has no chart to embed."""
    path = unquote(urlsplit(url).path)
    name = path.strip("/")
    is_page = path.endswith("/") and is_name(CHART_OF_PAGE.get(name, name))
    return f"/oembed?{urlencode({'url': url, 'format': 'json'})}" if is_page else ""


def card_path(path: str) -> str:
    """The share picture of a page: its own where it has figures of its own, else the board's."""
    name = unquote(path).strip("/")
    own = CARD_PAGES.fullmatch(name) is not None and path.endswith("/")
    return f"/og/{quote(name, safe='/~')}.png" if own else "/og/index.png"
