"""Which offering to take for one's own requests: time of an answer and cost of a day, from medians and list prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal

from leaderboard.catalogue.pricing import Rates, cost_usd
from leaderboard.ranking.filters import BadFilter, Filters
from leaderboard.ranking.rows import LeaderboardRow
from leaderboard.ranking.shown import shown_group

MOST_TOKENS, MOST_REQUESTS, LONGEST_MS = 10_000_000, 1_000_000_000, 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One visitor's use. `cached` tokens are part of `input`; `limit_ms` is for the whole answer, None for any."""

    input: int = 1000
    cached: int = 0
    output: int = 500
    limit_ms: int | None = None
    requests: int = 1000


@dataclass(frozen=True, slots=True)
class Choice:
    """One offering for that use; None is unknown."""

    row: LeaderboardRow
    answer_ms: float | None
    usd_per_day: Decimal | None


@dataclass(frozen=True, slots=True)
class Choices:
    """`fitting` by cost, then time; `unpriced` keep the limit at an unknown price; the others are not offered."""

    fitting: list[Choice]
    unpriced: list[Choice]
    too_slow: int
    untimed: int


def read_need(asked: Mapping[str, str]) -> Need:
    """A need from the fields of an address; raises BadFilter for the first that cannot be."""
    usual = Need()
    need = Need(
        input=count(asked, "input", usual.input, most=MOST_TOKENS),
        cached=count(asked, "cached", usual.cached, most=MOST_TOKENS),
        output=count(asked, "output", usual.output, least=1, most=MOST_TOKENS),
        limit_ms=count(asked, "limit_ms", 0, most=LONGEST_MS) or None,
        requests=count(asked, "requests", usual.requests, least=1, most=MOST_REQUESTS),
    )
    if need.cached > need.input:
        raise BadFilter("cached", str(need.cached), f"at most input, here {need.input}")
    return need


def count(asked: Mapping[str, str], name: str, usual: int, *, most: int, least: int = 0) -> int:
    text = asked.get(name, "").strip()
    if not text:
        return usual
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and least <= int(text) <= most):
        raise BadFilter(name, text, f"a whole number from {least} to {most}")
    return int(text)


def fields_of(need: Need) -> list[tuple[str, str]]:
    """What of a need is not the usual, as the fields of its address."""
    values = [(field.name, getattr(need, field.name), field.default) for field in fields(Need)]
    return [(name, str(value)) for name, value, usual in values if value != usual]


def choices_of(rows: Sequence[LeaderboardRow], filters: Filters, need: Need) -> Choices:
    """Among the rows that a page shows together: of the models asked for, or of any."""
    together = shown_group(rows, filters).rows
    return choose([row for row in together if not filters.model or row.model_id in filters.model], need)


def choose(rows: Sequence[LeaderboardRow], need: Need) -> Choices:
    """Over the ranked rows, or the provisional ones while none is ranked."""
    compared = [r for r in rows if r.is_ranked] or [r for r in rows if r.is_provisional]
    found = [Choice(row, answer_ms(row, need.output), usd_per_day(row, need)) for row in compared]
    timed = [c for c in found if c.answer_ms is not None]
    kept = [c for c in timed if is_soon_enough(c, need.limit_ms)]
    return Choices(
        fitting=sorted((c for c in kept if c.usd_per_day is not None), key=by_cost),
        unpriced=sorted((c for c in kept if c.usd_per_day is None), key=by_time),
        too_slow=len(timed) - len(kept),
        untimed=len(found) - len(timed),
    )


def answer_ms(row: LeaderboardRow, tokens: int) -> float | None:
    """Median wait for the first answer token and `tokens` at the median speed, as METRICS models 500 of them."""
    if row.ttfat_ms_p50 is None or not row.output_speed_tps_p50:
        return None
    return row.ttfat_ms_p50 + 1000 * tokens / row.output_speed_tps_p50


def usd_per_day(row: LeaderboardRow, need: Need) -> Decimal | None:
    rates = Rates(
        input_usd_per_mtok=row.input_usd_per_mtok,
        output_usd_per_mtok=row.output_usd_per_mtok,
        cache_read_usd_per_mtok=row.cache_read_usd_per_mtok,
    )
    one = cost_usd(rates, input_tokens=need.input, output_tokens=need.output, cached_input_tokens=need.cached)
    return None if one is None else one * need.requests


def is_soon_enough(choice: Choice, limit_ms: int | None) -> bool:
    return limit_ms is None or (choice.answer_ms is not None and choice.answer_ms <= limit_ms)


def by_cost(choice: Choice) -> tuple[Decimal, float, str]:
    return choice.usd_per_day or Decimal(0), choice.answer_ms or 0.0, choice.row.offering_id


def by_time(choice: Choice) -> tuple[float, str]:
    return choice.answer_ms or 0.0, choice.row.offering_id
