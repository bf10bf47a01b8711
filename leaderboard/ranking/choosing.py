"""Which offering to take for one's own requests: time of an answer and cost of a day, from medians and list prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.catalogue.pricing import Rates, cost_usd
from leaderboard.ranking.rows import LeaderboardRow


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
