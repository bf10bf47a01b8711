"""Badges: one figure of one offering as a small picture, and as the JSON that badge services read.

A figure that is too old says so instead of showing it, and a retired offering says retired: neither is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape

from django.http import HttpRequest, HttpResponseBase

from leaderboard.catalogue.models import Offering, ProbeState
from leaderboard.ranking.filters import Filters, parse_filters
from leaderboard.ranking.queries import latest_snapshot, leaderboard_rows
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.shown import DEFAULT_WORKLOAD

from .responses import File, answer
from .views import answering_in_json, offering_or_404, view_file
from .writers import plain_json

GREY, BLUE, ORANGE = "#6b6b6b", "#0072b2", "#b34700"
CACHE_S = 300
PIXELS_A_LETTER, PADDING, HEIGHT = 6.6, 10, 20


@dataclass(frozen=True, slots=True)
class Badge:
    label: str
    message: str
    colour: str = BLUE


Said = Callable[[LeaderboardRow], str | None]


def speed(row: LeaderboardRow) -> str | None:
    return None if row.output_speed_tps_p50 is None else f"{row.output_speed_tps_p50:.0f} tokens/s"


def ttft(row: LeaderboardRow) -> str | None:
    return None if row.ttft_ms_p50 is None else f"{row.ttft_ms_p50:.0f} ms"


def price(row: LeaderboardRow) -> str | None:
    return None if row.blended_usd_per_mtok is None else f"${significant(row.blended_usd_per_mtok)} per 1M"


def rank(row: LeaderboardRow) -> str | None:
    return None if row.rank_speed is None else f"#{row.rank_speed} by speed"


def uptime(row: LeaderboardRow) -> str | None:
    return None if row.uptime is None else f"{100 * row.uptime:.1f} %"


METRICS: dict[str, tuple[str, Said]] = {
    "speed": ("output speed", speed),
    "ttft": ("first token", ttft),
    "price": ("blended price", price),
    "rank": ("rank", rank),
    "uptime": ("uptime", uptime),
}


def significant(amount: Decimal) -> str:
    """Three significant digits, as pages show prices."""
    return f"{Decimal(f'{amount:.3g}'):f}"


@answering_in_json
def badge(request: HttpRequest, offering_id: str, metric: str, ending: str) -> HttpResponseBase:
    offering = offering_or_404(offering_id)
    filters = parse_filters(request.GET)
    snapshot = latest_snapshot(window_hours=filters.window_hours, as_of=filters.as_of)
    rows = [row for row in leaderboard_rows(snapshot) if row.offering_id == offering_id]
    shown = badge_of(offering, chosen(rows, filters), metric)
    file: File = view_file(
        f"badge-{metric}",
        ending,
        snapshot.as_of if snapshot else None,
        filters,
        version=f"{offering.updated_at.isoformat()}",
        max_age_s=CACHE_S,
    )
    return answer(request, file, lambda: svg(shown) if ending == "svg" else endpoint_json(shown))


def chosen(rows: Sequence[LeaderboardRow], filters: Filters) -> LeaderboardRow | None:
    """The row asked for by location and workload, else the default workload's with the most samples."""
    fitting = [
        row
        for row in rows
        if row.workload in (filters.workload or (row.workload,))
        and row.probe_location in (filters.probe_location or (row.probe_location,))
    ]
    return max(
        fitting,
        key=lambda row: (row.workload == DEFAULT_WORKLOAD, row.samples_ok, row.probe_location),
        default=None,
    )


def badge_of(offering: Offering, row: LeaderboardRow | None, metric: str) -> Badge:
    label, say = METRICS[metric]
    if offering.probe_state == ProbeState.RETIRED:
        return Badge(label, "retired", GREY)
    if row is None or row.freshness == "no_data":
        return Badge(label, "no data", GREY)
    if row.simulated:
        label = f"simulated {label}"
    if row.freshness == "stale" and metric != "price":
        return Badge(label, "stale", GREY)
    said = say(row)
    if said is None:
        return Badge(label, "unknown", GREY)
    return Badge(label, f"{said} · {row.as_of.day} {row.as_of:%b %Y}", BLUE if row.is_ranked else ORANGE)


def endpoint_json(shown: Badge) -> bytes:
    """The form that badge services read."""
    return plain_json(
        {
            "schemaVersion": 1,
            "label": shown.label,
            "message": shown.message,
            "color": shown.colour,
            "isError": False,
            "cacheSeconds": CACHE_S,
        }
    )


def svg(shown: Badge) -> bytes:
    left, right = width(shown.label), width(shown.message)
    name = escape(f"{shown.label}: {shown.message}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{name}"><title>{name}</title>'
        f'<rect width="{left}" height="{HEIGHT}" fill="#333"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{shown.colour}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{escape(shown.label)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(shown.message)}</text></g></svg>\n'
    ).encode()


def width(text: str) -> int:
    return round(len(text) * PIXELS_A_LETTER) + 2 * PADDING
