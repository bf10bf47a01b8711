"""The self-hosted page's query: a rate, a use and limits of the visitor's own, and which model and endpoint.

Like ranking.filters: a known name with a value that cannot be raises BadFilter, unknown names are ignored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from typing import Any, Literal
from urllib.parse import urlencode

from leaderboard.ranking.filters import BadFilter, Parameters

Display = Literal["usd_per_mtok", "tokens_per_usd"]
DISPLAYS = ("usd_per_mtok", "tokens_per_usd")
TEXT_MAX = 200
HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """Empty texts and None ask for nothing."""

    model: str = ""
    endpoint: str = ""
    usd_per_gpu_hour: Decimal | None = None
    """The visitor's own rate, in place of the operator's."""
    utilisation_percent: Decimal = HUNDRED
    ttft_max_ms: float | None = None
    """Limit on the P95 of the first token."""
    speed_min_tps: float | None = None
    """Limit on what the median user sees."""
    display: Display = "usd_per_mtok"
    full: bool = False

    @property
    def utilisation(self) -> Decimal:
        return self.utilisation_percent / HUNDRED

    @property
    def is_default(self) -> bool:
        return not self.query()

    def query(self) -> str:
        """Canonical: only what differs from the default, names sorted."""
        changed = [
            (f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default
        ]
        return urlencode([(name, text_of(value)) for name, value in sorted(changed)])


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def parse_calculation(params: Parameters) -> Calculation:
    """Raises BadFilter for the first known name with a bad value; an empty form field asks for nothing."""
    values: dict[str, Any] = {}
    for name, parse in PARSERS.items():
        given = [text.strip() for text in params.getlist(name) if text.strip()]
        if given:
            values[name] = parse(name, given[-1])
    return Calculation(**values)


def name_text(name: str, text: str) -> str:
    if len(text) > TEXT_MAX or not text.isprintable():
        raise BadFilter(name, text, f"printable text of at most {TEXT_MAX} characters")
    return text


def decimal_between(name: str, text: str, low: str, high: str, words: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise BadFilter(name, text, words) from None
    if not (number.is_finite() and Decimal(low) <= number <= Decimal(high)):
        raise BadFilter(name, text, words)
    return number


def gpu_rate(name: str, text: str) -> Decimal:
    return decimal_between(name, text, "0", "100000", "USD per GPU-hour, from 0 to 100000, as in 2.50")


def use_percent(name: str, text: str) -> Decimal:
    return decimal_between(name, text, "0.1", "100", "per cent of the hour, from 0.1 to 100, as in 35")


def positive(words: str) -> Any:
    def parse(name: str, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            raise BadFilter(name, text, words) from None
        if not (math.isfinite(number) and 0 < number <= 1e9):
            raise BadFilter(name, text, words)
        return number

    return parse


def one_display(name: str, text: str) -> str:
    if text not in DISPLAYS:
        raise BadFilter(name, text, ", ".join(DISPLAYS))
    return text


def flag(name: str, text: str) -> bool:
    if text not in ("0", "1"):
        raise BadFilter(name, text, "0, 1")
    return text == "1"


PARSERS: dict[str, Any] = {
    "model": name_text,
    "endpoint": name_text,
    "usd_per_gpu_hour": gpu_rate,
    "utilisation_percent": use_percent,
    "ttft_max_ms": positive("milliseconds above 0, as in 1000"),
    "speed_min_tps": positive("tokens/s above 0, as in 30"),
    "display": one_display,
    "full": flag,
}
