"""What a request costs and what a token costs on average, from one price. Pure: no database, no clock.

Everything is Decimal USD per million tokens. None is unknown and stays unknown; 0 is free and is a price.
"""

from __future__ import annotations

import datetime as dt
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, TypeVar

MILLION = Decimal(1_000_000)
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
DEFAULT_BLEND_TEXT = "input:output=3:1"


class RatesPerMtok(Protocol):
    """The rates of a price, in USD per million tokens; a saved Price and Rates both are one."""

    @property
    def input_usd_per_mtok(self) -> Decimal | None: ...
    @property
    def output_usd_per_mtok(self) -> Decimal | None: ...
    @property
    def cache_read_usd_per_mtok(self) -> Decimal | None: ...
    @property
    def cache_write_usd_per_mtok(self) -> Decimal | None: ...
    @property
    def reasoning_usd_per_mtok(self) -> Decimal | None: ...
    @property
    def request_usd(self) -> Decimal | None: ...


class PriceTerms(Protocol):
    """When a price holds: above which prompt length, in which hours and on which weekdays (UTC)."""

    @property
    def valid_from(self) -> dt.datetime: ...
    @property
    def valid_to(self) -> dt.datetime | None: ...
    @property
    def context_above_tokens(self) -> int | None: ...
    @property
    def hours_utc(self) -> str: ...
    @property
    def weekdays(self) -> str: ...


AnyPrice = TypeVar("AnyPrice", bound=PriceTerms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """One price without its terms."""

    input_usd_per_mtok: Decimal | None = None
    output_usd_per_mtok: Decimal | None = None
    cache_read_usd_per_mtok: Decimal | None = None
    cache_write_usd_per_mtok: Decimal | None = None
    reasoning_usd_per_mtok: Decimal | None = None
    request_usd: Decimal | None = None


def is_free(price: RatesPerMtok) -> bool:
    """Both directions cost nothing, and are known to."""
    return price.input_usd_per_mtok == 0 and price.output_usd_per_mtok == 0


def cost_usd(
    price: RatesPerMtok | None,
    *,
    input_tokens: int | None,
    output_tokens: int | None,
    cached_input_tokens: int | None = 0,
    cache_write_tokens: int | None = 0,
    reasoning_tokens: int | None = 0,
) -> Decimal | None:
    """What one request is billed, in USD; None where a rate or a count it needs is unknown.

    `input_tokens` include the cached and written ones and `output_tokens` the reasoning ones: each is charged
    once, at its own rate where there is one. Counts of the parts that are None are taken as none reported.
    """
    if price is None:
        return None
    cached, written = cached_input_tokens or 0, cache_write_tokens or 0
    parts = [
        charge(less(input_tokens, cached + written), price.input_usd_per_mtok),
        charge(cached, first_known(price.cache_read_usd_per_mtok, price.input_usd_per_mtok)),
        charge(written, first_known(price.cache_write_usd_per_mtok, price.input_usd_per_mtok)),
        charge(less(output_tokens, reasoning_tokens or 0), price.output_usd_per_mtok),
        charge(reasoning_tokens or 0, first_known(price.reasoning_usd_per_mtok, price.output_usd_per_mtok)),
    ]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return sum(known, start=price.request_usd or Decimal(0))


def charge(tokens: int | None, usd_per_mtok: Decimal | None) -> Decimal | None:
    """No tokens cost nothing and free tokens cost nothing; otherwise both must be known."""
    if tokens == 0 or usd_per_mtok == 0:
        return Decimal(0)
    if tokens is None or usd_per_mtok is None:
        return None
    return tokens * usd_per_mtok / MILLION


def less(total: int | None, part: int) -> int | None:
    """A provider that counts the part apart from the total leaves nothing of it: never below zero."""
    return None if total is None else max(total - part, 0)


def first_known(*amounts: Decimal | None) -> Decimal | None:
    return next((amount for amount in amounts if amount is not None), None)


BLENDABLE = {
    "input": "input_usd_per_mtok",
    "output": "output_usd_per_mtok",
    "cache_read": "cache_read_usd_per_mtok",
    "cache_write": "cache_write_usd_per_mtok",
}
CACHE_PARTS = ("cache_read", "cache_write")
BLEND_FORM = re.compile(r"(?P<names>[a-z_]+(:[a-z_]+)*)=(?P<weights>[0-9.]+(:[0-9.]+)*)")
HIGHEST_WEIGHT = 1000


class BadBlend(ValueError):
    """The text is no mix; says which form one has."""


@dataclass(frozen=True, slots=True)
class Blend:
    """A mix of token kinds with their weights; the weights need not sum to one."""

    parts: tuple[str, ...]
    weights: tuple[Decimal, ...]

    def __str__(self) -> str:
        return f"{':'.join(self.parts)}={':'.join(f'{weight:f}' for weight in self.weights)}"


@dataclass(frozen=True, slots=True)
class BlendedPrice:
    """One price per million tokens at a stated mix; None is unknown."""

    usd_per_mtok: Decimal | None
    blend: str
    fell_back_to_input: bool = False
    """A cache rate of the mix is not published, so the input rate stands in for it."""


def parse_blend(text: str) -> Blend:
    """`input:output=3:1` and its like; raises BadBlend."""
    form = BLEND_FORM.fullmatch(text.strip())
    if form is None:
        raise BadBlend(f"A mix is written like {DEFAULT_BLEND_TEXT}, not {text[:60]!r}.")
    parts = tuple(form["names"].split(":"))
    try:
        weights = tuple(Decimal(weight) for weight in form["weights"].split(":"))
    except ArithmeticError:
        raise BadBlend(f"A weight in {text[:60]!r} is not a number.") from None
    check_blend(parts, weights)
    return Blend(parts, weights)


def check_blend(parts: Sequence[str], weights: Sequence[Decimal]) -> None:
    unknown = [part for part in parts if part not in BLENDABLE]
    if unknown:
        raise BadBlend(f"{unknown[0]!r} is no kind of token; known are {', '.join(BLENDABLE)}.")
    if len(parts) != len(weights) or len(set(parts)) < len(parts):
        raise BadBlend("A mix names each kind of token once and gives each one weight.")
    if sum(weights) <= 0 or max(weights) > HIGHEST_WEIGHT:
        raise BadBlend(f"The weights of a mix are above 0 in sum and {HIGHEST_WEIGHT} at most each.")


DEFAULT_BLEND = parse_blend(DEFAULT_BLEND_TEXT)
CACHED_BLEND = parse_blend("cache_read:input:output=7:2:1")


def blended(price: RatesPerMtok | None, blend: Blend = DEFAULT_BLEND) -> BlendedPrice:
    """Σ weight × rate ÷ Σ weight; a missing cache rate falls back to input and is flagged, another makes None."""
    total, fell_back = Decimal(0), False
    for part, weight in zip(blend.parts, blend.weights, strict=True):
        if weight == 0:
            continue
        rate: Decimal | None = getattr(price, BLENDABLE[part], None)
        if rate is None and part in CACHE_PARTS and price is not None:
            rate, fell_back = price.input_usd_per_mtok, True
        if rate is None:
            return BlendedPrice(None, str(blend), fell_back)
        total += weight * rate
    return BlendedPrice(total / sum(blend.weights), str(blend), fell_back)


def blended_usd_per_mtok(price: RatesPerMtok | None, blend: Blend = DEFAULT_BLEND) -> Decimal | None:
    return blended(price, blend).usd_per_mtok


def above_tokens(threshold: int, *, inclusive: bool) -> int:
    """`context_above_tokens` of a tier: one that begins *at* its threshold holds above the length before it."""
    return threshold - 1 if inclusive else threshold


def price_in_force(
    prices: Iterable[AnyPrice], at: dt.datetime, *, prompt_tokens: int | None = None
) -> AnyPrice | None:
    """The price of one offering that holds at an instant for a whole request of that prompt length.

    Rows with the same `valid_from` are one price list, and a list holds until the next one begins. Within it
    the highest tier the prompt passes wins, then the row bound to hours, then the one bound to weekdays.
    An unknown prompt length takes the price without a tier.
    """
    begun = [price for price in prices if price.valid_from <= at]
    if not begun:
        return None
    newest = max(price.valid_from for price in begun)
    holding = [p for p in begun if p.valid_from == newest and holds(p, at, prompt_tokens or 0)]
    return max(holding, key=specificity, default=None)


def holds(price: PriceTerms, at: dt.datetime, prompt_tokens: int) -> bool:
    return (
        (price.valid_to is None or at < price.valid_to)
        and (price.context_above_tokens is None or prompt_tokens > price.context_above_tokens)
        and in_hours(price.hours_utc, price.weekdays, at)
    )


def specificity(price: PriceTerms) -> tuple[int, bool, bool]:
    tier = -1 if price.context_above_tokens is None else price.context_above_tokens
    return tier, bool(price.hours_utc), bool(price.weekdays)


def in_hours(hours_utc: str, weekdays: str, at: dt.datetime) -> bool:
    """Whether an instant lies in HH:MM-HH:MM (end excluded; may pass midnight) of one of the weekdays, all UTC.

    The hours after midnight belong to the weekday on which their window began.
    """
    at = at.astimezone(dt.UTC)
    day = at.weekday()
    if hours_utc:
        start, end = (dt.time.fromisoformat(text) for text in hours_utc.split("-"))
        now = at.time().replace(tzinfo=None)
        if start < end:
            inside = start <= now < end
        else:
            inside = now >= start or now < end
            day = (day - 1) % 7 if now < end else day
        if not inside:
            return False
    return not weekdays or WEEKDAYS[day] in weekdays.split(";")


def median_usd_per_mtok(prices: Iterable[Decimal | None]) -> tuple[Decimal | None, int]:
    """The median of the known prices and how many they are; free counts as 0, unknown and negative are left out."""
    known = sorted(price for price in prices if price is not None and price.is_finite() and price >= 0)
    return (statistics.median(known) if known else None), len(known)
