"""The self-hosted page's query: a rate, a use and limits of the visitor's own, and which model and endpoint.

Like ranking.filters: a known name with a value that cannot be raises BadFilter, unknown names are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import urlencode

from leaderboard.catalogue.hosting import Ownership
from leaderboard.ranking.endpoints import GpuEndpointRow
from leaderboard.ranking.filters import BadFilter, Parameters
from leaderboard.ranking.query_values import PLAIN_NUMBER

Display = Literal["usd_per_mtok", "tokens_per_usd"]
DISPLAYS = ("usd_per_mtok", "tokens_per_usd")
TEXT_MAX = 200
HUNDRED = Decimal(100)
HOURS_PER_YEAR = Decimal(8760)
NO_ORDER = ("engine_args", "cost_source_url", "simulated", "figures")
SORTS = frozenset(f.name for f in fields(GpuEndpointRow) if f.name not in NO_ORDER)


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
    purchase_usd: Decimal | None = None
    """With the four that follow: what the same endpoint would cost an hour if it were bought."""
    lifetime_years: Decimal | None = None
    watts_per_gpu: Decimal | None = None
    pue: Decimal | None = None
    usd_per_kwh: Decimal | None = None
    display: Display = "usd_per_mtok"
    sort: str = ""
    """A column of the table, `-` before it for descending; empty: by endpoint and concurrency."""
    full: bool = False

    def owned(self, gpu_count: int) -> Ownership:
        """The endpoint as if bought; its cost is unknown while one of the five figures is."""
        hours = None if self.lifetime_years is None else self.lifetime_years * HOURS_PER_YEAR
        return Ownership(
            gpu_count=gpu_count,
            purchase_usd=self.purchase_usd,
            lifetime_hours=hours,
            watts_per_gpu=self.watts_per_gpu,
            pue=self.pue,
            usd_per_kwh=self.usd_per_kwh,
        )

    @property
    def utilisation(self) -> Decimal:
        return self.utilisation_percent / HUNDRED

    @property
    def is_default(self) -> bool:
        return not self.query()

    def query(self, **changes: Any) -> str:
        """Canonical, with some values changed: only what differs from the default, names sorted."""
        wanted = replace(self, **changes)
        changed = [
            (f.name, getattr(wanted, f.name)) for f in fields(self) if getattr(wanted, f.name) != f.default
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
    if not PLAIN_NUMBER.fullmatch(text):
        raise BadFilter(name, text, words)
    number = Decimal(text)
    if not Decimal(low) <= number <= Decimal(high):
        raise BadFilter(name, text, words)
    return number


def between(low: str, high: str, words: str) -> Any:
    return lambda name, text: decimal_between(name, text, low, high, words)


def positive(words: str) -> Any:
    def parse(name: str, text: str) -> float:
        number = float(text) if PLAIN_NUMBER.fullmatch(text) else 0.0
        if not 0 < number <= 1e9:
            raise BadFilter(name, text, words)
        return number

    return parse


def sort_key(name: str, text: str) -> str:
    if text.removeprefix("-") not in SORTS:
        raise BadFilter(name, text, "a column name of the table, with - before it for descending")
    return text


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
    "usd_per_gpu_hour": between("0", "100000", "USD per GPU-hour, from 0 to 100000, as in 2.50"),
    "utilisation_percent": between("0.1", "100", "per cent of the hour, from 0.1 to 100, as in 35"),
    "ttft_max_ms": positive("milliseconds above 0, as in 1000"),
    "speed_min_tps": positive("tokens/s above 0, as in 30"),
    "purchase_usd": between("0", "1000000000", "USD for the whole endpoint, from 0, as in 262800"),
    "lifetime_years": between("0.1", "30", "years, from 0.1 to 30, as in 3"),
    "watts_per_gpu": between("1", "100000", "watts of one GPU, from 1, as in 700"),
    "pue": between("1", "5", "all power over that of the machines, from 1 to 5, as in 1.25"),
    "usd_per_kwh": between("0", "10", "USD per kWh, from 0 to 10, as in 0.10"),
    "display": one_display,
    "sort": sort_key,
    "full": flag,
}
