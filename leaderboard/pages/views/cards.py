"""Share pictures: a page's figures with their as-of, for whoever passes its address on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.charts.cards import Card, CardFigure, card_png, card_svg
from leaderboard.pages.board import Board, load_board
from leaderboard.pages.numbers import Number, instant, money, percent, whole
from leaderboard.pages.tiles import tiles
from leaderboard.pages.views.subjects import subject_board, top_lists
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.shown import shown_group

CACHE_S = 300


@require_safe
def card_picture(request: HttpRequest, place: str) -> HttpResponse:
    card = card_of(place)
    if card is None:
        raise Http404
    svg = card_svg(card)
    tag = f'"{hashlib.sha256(svg.encode()).hexdigest()[:32]}"'
    response = get_conditional_response(request, tag)
    if response is None:
        response = HttpResponse(card_png(svg), content_type="image/png")
    response["ETag"] = tag
    response["Cache-Control"] = f"public, max-age={CACHE_S}, stale-while-revalidate=86400"
    return response


def card_of(place: str) -> Card | None:
    if place == "index":
        return board_card()
    kind, _, subject = place.partition("/")
    make = {"models": model_card, "providers": provider_card, "offerings": offering_card}.get(kind)
    return make(subject) if make else None


def board_card() -> Card:
    board = load_board(Filters())
    figures = [CardFigure(tile.shown, tile.unit, tile.who) for tile in reversed(tiles(board.rows))]
    return card("LLM inference providers, measured", board, figures)


def model_card(slug: str) -> Card | None:
    model = LanguageModel.objects.filter(slug=slug).first()
    if model is None:
        return None
    board, _ = subject_board(Filters(), model=(slug,))
    lists = top_lists(board.rows)
    figures = [
        best(lists["fastest"], "output_speed_tps_p50", "tokens/s", "fastest"),
        best(lists["soonest"], "ttft_ms_p50", "ms to first token", "soonest"),
        best(lists["cheapest"], "blended_usd_per_mtok", "USD per 1M tokens", "cheapest"),
        CardFigure(f"{len({r.provider_id for r in board.rows})}", "providers", "measured"),
    ]
    return card(f"{model.name} by {model.creator}", board, figures)


def best(rows: Sequence[LeaderboardRow], column: str, unit: str, word: str) -> CardFigure:
    if not rows:
        return CardFigure("–", unit, "not measured yet")
    return CardFigure(figure_text(column, getattr(rows[0], column)), unit, f"{word}: {rows[0].provider_name}")


def figure_text(column: str, value: Number | None) -> str:
    if value is None:
        return "–"
    if column.endswith("usd_per_mtok"):
        return "free" if value == 0 else money(value)
    return whole(value)


def provider_card(slug: str) -> Card | None:
    provider = Provider.objects.filter(slug=slug).first()
    if provider is None:
        return None
    board, _ = subject_board(Filters(), provider=(slug,))
    lists = top_lists(board.rows)
    figures = [
        CardFigure(f"{len({r.model_id for r in board.rows})}", "models", "measured"),
        *(
            CardFigure(figure_text(column, getattr(row, column)), unit, f"{word}: {row.model_name}")
            for name, column, unit, word in (
                ("fastest", "output_speed_tps_p50", "tokens/s", "fastest"),
                ("soonest", "ttft_ms_p50", "ms to first token", "soonest"),
                ("cheapest", "blended_usd_per_mtok", "USD per 1M tokens", "cheapest"),
            )
            for row in lists[name][:1]
        ),
    ]
    return card(provider.name, board, figures)


def offering_card(public_id: str) -> Card | None:
    found = Offering.objects.select_related("provider", "model").filter(public_id=public_id).first()
    if found is None:
        return None
    board = load_board(Filters())
    group = shown_group([row for row in board.all_rows if row.offering_id == public_id], Filters())
    row = group.rows[0] if group.rows else None
    rate = row.success_rate if row else None
    figures = [
        CardFigure(
            figure_text("tps", row.output_speed_tps_p50 if row else None), "tokens/s", "median output speed"
        ),
        CardFigure(figure_text("ms", row.ttft_ms_p50 if row else None), "ms", "median time to first token"),
        CardFigure(
            figure_text("blended_usd_per_mtok", row.blended_usd_per_mtok if row else None),
            "USD per 1M tokens",
            "blended 3:1",
        ),
        CardFigure(
            "–" if rate is None else f"{percent(rate)} %",
            "success",
            f"{row.samples_ok} samples" if row else "",
        ),
    ]
    title = " ".join(filter(None, (found.model.name, found.variant, "at", found.provider.name)))
    return card(title, board, figures, simulated=found.provider.simulated)


def card(title: str, board: Board, figures: Sequence[CardFigure], *, simulated: bool | None = None) -> Card:
    measured = (
        f"As of {instant(board.as_of)}, medians over 72 hours" if board.as_of else "Nothing measured yet"
    )
    return Card(
        title=title,
        figures=figures,
        foot=measured,
        simulated=board.group.simulated if simulated is None else simulated,
    )
