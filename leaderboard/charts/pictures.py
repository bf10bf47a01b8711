"""Figures become pictures: drawn at two widths, kept by what they show, fetched in one query for a page.

Addresses inside a stored picture begin with a placeholder origin, because vl-convert rewrites relative ones; the
page puts its own in its place.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db import connection

from leaderboard.charts.models import Rendering
from leaderboard.charts.theme import WIDE, WIDTHS, Width

ORIGIN = "https://origin.invalid"
# Part of every key: raise it when the same rows are to look different.
DRAWING_VERSION = 4


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A chart that can be drawn: its hook name, its accessible name, what it shows and how."""

    chart: str
    label: str
    shows: object
    draw: Callable[[Width], dict[str, Any]] = field(repr=False)

    @cached_property
    def key(self) -> str:
        """Changes with anything drawn; `shows` must have a complete repr."""
        words = repr((DRAWING_VERSION, self.chart, self.label, self.shows))
        return f"{self.chart}-{hashlib.sha256(words.encode('utf-8', 'replace')).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn figure: one SVG for each width; their specs stay in the database until a reader asks for one."""

    key: str
    chart: str
    label: str
    svgs: dict[int, str]


def pictures(figures: Sequence[Figure]) -> dict[str, Picture]:
    """The pictures by chart name, in one query; what is not kept is drawn now."""
    kept = _kept(figures)
    missing = [(f, w) for f in figures for w in WIDTHS if (f.key, w) not in kept]
    if missing:
        drawn = [_drawn(figure, width) for figure, width in missing]
        Rendering.objects.bulk_create(drawn, ignore_conflicts=True)
        kept |= {(r.key, r.width): r for r in drawn}
    return {f.chart: _picture(f, kept) for f in figures}


def prepare(figures: Iterable[Figure]) -> None:
    """Draw ahead what pages will ask for."""
    pictures(list(figures))


def forget_old(now: dt.datetime, kept_for: dt.timedelta, *, still_shown: Collection[str] = ()) -> int:
    """Delete pictures made so long ago whose key no page shows now; how many. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            "delete from charts_rendering where made_at < %s and not key = any(%s)",
            [now - kept_for, list(still_shown)],
        )
        return int(cursor.rowcount)


def with_origin(svg: str, origin: str) -> str:
    """The picture with its links pointing at this site, `origin` being like http://127.0.0.1:8000."""
    return svg.replace(ORIGIN, origin)


def _kept(figures: Sequence[Figure]) -> dict[tuple[str, int], Rendering]:
    if not figures:
        return {}
    found = Rendering.objects.filter(key__in=[f.key for f in figures]).defer("spec")
    return {(r.key, r.width): r for r in found}


def _drawn(figure: Figure, width: Width) -> Rendering:
    # Imported here: Altair and vl-convert cost a second and 100 MB, which a process that only serves is spared.
    from leaderboard.charts.rendering import draw_svg

    spec = figure.draw(width)
    svg = draw_svg(spec, label=figure.label, key=f"{figure.key}-{width}")
    kept_spec = spec if width == WIDE else {}  # the interactive chart is made from the wide one
    return Rendering(key=figure.key, chart=figure.chart, width=width, svg=svg, spec=kept_spec)


def _picture(figure: Figure, kept: dict[tuple[str, int], Rendering]) -> Picture:
    return Picture(
        figure.key, figure.chart, figure.label, {width: kept[figure.key, width].svg for width in WIDTHS}
    )
