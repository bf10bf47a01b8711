"""The home page's four figures, from the same rows as the tables beside them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from leaderboard.charts.marks import Bar, Point
from leaderboard.charts.pictures import ORIGIN, Figure
from leaderboard.charts.theme import Width
from leaderboard.ranking.definitions import AFTER_FIRST_TOKEN, Definition
from leaderboard.ranking.groups import ModelRow, ProviderRow
from leaderboard.ranking.rows import LeaderboardRow


def model_address(model_id: str) -> str:
    return f"{ORIGIN}/models/{quote(model_id)}/"


def provider_address(provider_id: str) -> str:
    return f"{ORIGIN}/providers/{quote(provider_id)}/"


def offering_address(offering_id: str) -> str:
    return f"{ORIGIN}/offerings/{quote(offering_id, safe='~')}/"


def by_speed(rows: Sequence[ModelRow]) -> list[ModelRow]:
    """Fastest first, ties by id: the order of the speed chart and of its table; unknown last."""
    return sorted(rows, key=lambda r: (r.is_provisional, -(r.output_speed_tps_p50 or 0), r.model_id))


def by_first_token(rows: Sequence[ModelRow]) -> list[ModelRow]:
    """Soonest first, ties by id; unknown last."""
    return sorted(
        rows, key=lambda r: (r.is_provisional, r.ttft_ms_p50 is None, r.ttft_ms_p50 or 0, r.model_id)
    )


def speed_figure(rows: Sequence[ModelRow], *, simulated: bool) -> Figure:
    found = tuple(
        model_bar(r, r.output_speed_tps_p50, r.slowest_tps, r.fastest_tps)
        for r in ranked_first(by_speed(rows))
    )
    return Figure(
        chart="speed",
        label=labelled("Output speed by model", simulated=simulated),
        shows=found,
        draw=partial(draw_speed, found),
    )


def ttft_figure(rows: Sequence[ModelRow], *, simulated: bool) -> Figure:
    found = tuple(
        model_bar(r, r.ttft_ms_p50, r.soonest_ms, r.latest_ms) for r in ranked_first(by_first_token(rows))
    )
    return Figure(
        chart="ttft",
        label=labelled("Time to first token by model", simulated=simulated),
        shows=found,
        draw=partial(draw_ttft, found),
    )


def model_tradeoff_figure(rows: Sequence[ModelRow], *, simulated: bool) -> Figure:
    found = tuple(model_point(r) for r in rows)
    return Figure(
        chart="tradeoff",
        label=labelled("Output speed against time to first token, by model", simulated=simulated),
        shows=found,
        draw=partial(draw_tradeoff, found, noun="models"),
    )


def catalogue_figure(rows: Sequence[ProviderRow], *, simulated: bool) -> Figure:
    found = tuple(provider_bar(r.provider_id, r.provider_name, r.models_served) for r in rows)
    return Figure(
        chart="catalogue",
        label=labelled("Models served by each provider", simulated=simulated),
        shows=found,
        draw=partial(draw_catalogue, found),
    )


def speed_list_figure(
    rows: Sequence[ModelRow], *, simulated: bool, definition: Definition = AFTER_FIRST_TOKEN
) -> Figure:
    """C1 with all its models, for the list of models; by another definition of fast where the view asks for one."""
    if not definition.is_default:
        return definition_figure(rows, definition, simulated=simulated, every=True)
    found = tuple(
        model_bar(r, r.output_speed_tps_p50, r.slowest_tps, r.fastest_tps)
        for r in ranked_first(by_speed(rows))
    )
    return Figure(
        chart="speed",
        label=labelled("Output speed by model", simulated=simulated),
        shows=(found, "all"),
        draw=partial(draw_speed_list, found),
    )


def offering_tradeoff_figure(
    rows: Sequence[LeaderboardRow], *, yscale: str = "log", hl: Sequence[str] = ()
) -> Figure:
    """C3 by offering, the same for every order of the rows; rows that are stale or unmeasured have no point."""
    drawn = sorted((r for r in rows if r.is_ranked or r.is_provisional), key=lambda r: r.offering_id)
    found = tuple(offering_point(r, hl) for r in drawn)
    simulated = any(r.simulated for r in rows)
    return Figure(
        chart="tradeoff",
        label=labelled("Output speed against time to first token, by offering", simulated=simulated),
        shows=(found, yscale),
        draw=partial(draw_tradeoff, found, noun="offerings", yscale=yscale),
    )


def by_definition(rows: Sequence[ModelRow], definition: Definition) -> list[ModelRow]:
    """Best first by a definition, ties by id; unknown last."""
    if definition.is_default:
        return by_speed(rows)

    def place(row: ModelRow) -> tuple[bool, bool, float, str]:
        value = getattr(row, definition.column)
        return row.is_provisional, value is None, value or 0.0, row.model_id

    return sorted(rows, key=place)


def definition_figure(
    rows: Sequence[ModelRow], definition: Definition, *, simulated: bool, every: bool = False
) -> Figure:
    """C1 by another definition of fast, at the same place on the page; `every` model or the first twelve."""
    if definition.is_default:
        return speed_figure(rows, simulated=simulated)
    found = tuple(
        model_bar(r, getattr(r, definition.column), None, None)
        for r in ranked_first(by_definition(rows, definition))
    )
    title = f"{definition.label}, median"
    return Figure(
        chart="speed",
        label=labelled(f"{definition.label} by model", simulated=simulated),
        shows=(found, definition.name, every),
        draw=partial(draw_definition, found, title=title, unit=definition.unit, every=every),
    )


def home_figures(
    models: Sequence[ModelRow],
    providers: Sequence[ProviderRow],
    *,
    simulated: bool,
    definition: Definition = AFTER_FIRST_TOKEN,
) -> list[Figure]:
    """C1 to C4, as the home page inlines them and as they are drawn ahead with each snapshot."""
    return [
        definition_figure(models, definition, simulated=simulated),
        ttft_figure(models, simulated=simulated),
        model_tradeoff_figure(models, simulated=simulated),
        catalogue_figure(providers, simulated=simulated),
    ]


def labelled(words: str, *, simulated: bool) -> str:
    return f"{words} (simulated)" if simulated else words


def ranked_first(rows: Sequence[ModelRow]) -> list[ModelRow]:
    """The ranked models; while there are none, the provisional ones, which are drawn hollow."""
    return [r for r in rows if not r.is_provisional] or list(rows)


def model_bar(row: ModelRow, value: float | None, low: float | None, high: float | None) -> Bar:
    return Bar(
        id=row.model_id,
        name=row.model_name,
        creator=row.creator,
        weights=row.weights,
        value=value,
        low=low,
        high=high,
        href=model_address(row.model_id),
        provisional=row.is_provisional,
    )


def provider_bar(provider_id: str, name: str, models_served: int) -> Bar:
    return Bar(
        id=provider_id, name=name, creator="", value=float(models_served), href=provider_address(provider_id)
    )


def model_point(row: ModelRow) -> Point:
    return Point(
        id=row.model_id,
        name=row.model_name,
        x=row.ttft_ms_p50,
        y=row.output_speed_tps_p50,
        weights=row.weights,
        href=model_address(row.model_id),
        on_frontier=row.frontier_speed_ttft,
        provisional=row.is_provisional,
    )


def offering_point(row: LeaderboardRow, hl: Sequence[str] = ()) -> Point:
    """With highlights, the others are grey and keep their shape."""
    return Point(
        id=row.offering_id,
        name=offering_name(row),
        x=row.ttft_ms_p50,
        y=row.output_speed_tps_p50,
        weights=row.weights,
        href=offering_address(row.offering_id),
        on_frontier=row.frontier_speed_ttft,
        self_hosted=row.hosting == "self_hosted",
        provisional=row.is_provisional,
        muted=bool(hl) and row.offering_id not in hl,
        labelled=row.offering_id in hl,
    )


def offering_name(row: LeaderboardRow) -> str:
    """Who serves what: "gpt-oss-120b, Clarifai", with the variant where one is sold apart."""
    variant = f" {row.variant}" if row.variant else ""
    return f"{row.model_name}{variant}, {row.provider_name}"


# Altair is heavy, so the figures are imported by the process that draws, when it draws.


def draw_speed(found: Sequence[Bar], width: Width) -> dict[str, object]:
    from leaderboard.charts.figures.bars import bars

    return bars(found, width=width, unit="tokens/s", title="Output speed, median")


def draw_definition(
    found: Sequence[Bar], width: Width, *, title: str, unit: str, every: bool
) -> dict[str, object]:
    from leaderboard.charts.figures.bars import bars

    size: dict[str, Any] = {"half_page": False, "drawn": len(found)} if every else {}
    return bars(found, width=width, unit=unit, title=title, lower_is_better=True, **size)


def draw_ttft(found: Sequence[Bar], width: Width) -> dict[str, object]:
    from leaderboard.charts.figures.bars import bars

    return bars(found, width=width, unit="ms", title="Time to first token, median", lower_is_better=True)


def draw_tradeoff(
    found: Sequence[Point], width: Width, *, noun: str, yscale: str = "linear"
) -> dict[str, object]:
    from leaderboard.charts.figures.tradeoff import tradeoff

    return tradeoff(found, width=width, noun=noun, log_speed=yscale == "log")


def draw_speed_list(found: Sequence[Bar], width: Width) -> dict[str, object]:
    from leaderboard.charts.figures.bars import bars

    return bars(
        found, width=width, unit="tokens/s", title="Output speed, median", half_page=False, drawn=len(found)
    )


def draw_catalogue(found: Sequence[Bar], width: Width) -> dict[str, object]:
    from leaderboard.charts.figures.catalogue import catalogue

    return catalogue(found, width=width)
