"""The four tiles of the home page: a number, its unit, who, and one link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from leaderboard.charts.board import offering_name
from leaderboard.pages.numbers import published, whole
from leaderboard.ranking.rows import LeaderboardRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """`exact` is empty where nothing is known; `href` is a path."""

    name: Literal["providers", "offerings", "fastest", "soonest"]
    label: str
    shown: str
    exact: str
    unit: str
    who: str
    href: str


def tiles(rows: Sequence[LeaderboardRow]) -> list[Tile]:
    """Counts over the active rows; records over the ranked ones, or the provisional ones while none is ranked."""
    active = [r for r in rows if r.is_active]
    contenders = [r for r in active if r.is_ranked] or [r for r in active if r.is_provisional]
    return [
        counted("providers", "Providers measured", len({r.provider_id for r in active}), "/providers/"),
        counted("offerings", "Offerings measured", len({r.offering_id for r in active}), "/offerings/"),
        fastest(contenders),
        soonest(contenders),
    ]


def counted(name: Literal["providers", "offerings"], label: str, count: int, href: str) -> Tile:
    unit = name if count != 1 else name[:-1]
    return Tile(
        name=name, label=label, shown=f"{count:,}", exact=str(count), unit=unit, who=f"all {name}", href=href
    )


def fastest(rows: Sequence[LeaderboardRow]) -> Tile:
    known = [(-r.output_speed_tps_p50, r.offering_id, r) for r in rows if r.output_speed_tps_p50 is not None]
    row = min(known)[2] if known else None
    return record("fastest", "Fastest", row, row.output_speed_tps_p50 if row else None, "tps", "tokens/s")


def soonest(rows: Sequence[LeaderboardRow]) -> Tile:
    known = [(r.ttft_ms_p50, r.offering_id, r) for r in rows if r.ttft_ms_p50 is not None]
    row = min(known)[2] if known else None
    return record("soonest", "Soonest first token", row, row.ttft_ms_p50 if row else None, "ms", "ms")


def record(
    name: Literal["fastest", "soonest"],
    label: str,
    row: LeaderboardRow | None,
    value: float | None,
    kind: str,
    unit: str,
) -> Tile:
    if row is None or value is None:
        return Tile(
            name=name,
            label=label,
            shown="–",
            exact="",
            unit=unit,
            who="not measured yet",
            href="/methodology/",
        )
    return Tile(
        name=name,
        label=label,
        shown=whole(value),
        exact=published(value, kind),
        unit=unit,
        who=offering_name(row),
        href=f"/offerings/{row.offering_id}/",
    )
