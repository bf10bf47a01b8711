"""The query names of list views: parsed once, checked, and written back in one canonical form.

Known names with a bad value raise BadFilter; unknown names are ignored, so that a tracking tag breaks nothing.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol
from urllib.parse import urlencode

from leaderboard.catalogue.models import Quantization, Weights
from leaderboard.catalogue.pricing import DEFAULT_BLEND_TEXT, BadBlend, parse_blend
from leaderboard.ranking.pareto import AXES

WINDOW_HOURS = {"24h": 24, "72h": 72, "14d": 336}
DEFAULT_WINDOW = "72h"
FRESHNESS = ("fresh", "late", "stale", "no_data")
HOSTING = ("serverless", "dedicated", "self_hosted")
PAGE_SIZE = 200
HIGHLIGHTS_MAX = 8
VALUES_MAX = 40
"""Of one list filter: each value is repeated in the link of each other, so a page grows with their square."""
COMPARED_MAX = 6
TEXT_MAX = 200
DISPLAYS = ("usd_per_mtok", "tokens_per_usd", "after_first_token", "end_to_end", "response_time_500")
BLEND_WORDS = (
    "weights of input, output and cache_read, as in input:output=3:1 or cache_read:input:output=7:2:1"
)

LEADERBOARD_SORTS = (
    "offering_id", "provider_id", "provider_name", "model_id", "model_name", "creator", "weights", "hosting",
    "quantization", "probe_location", "workload", "methodology_version", "samples_ok", "success_rate",
    "output_speed_tps_p50", "output_speed_tps_p50_low", "output_speed_tps_p50_high", "output_speed_tps_p05",
    "ttft_ms_p50", "ttft_ms_p50_low", "ttft_ms_p50_high", "ttft_ms_p95", "ttfat_ms_p50",
    "input_usd_per_mtok", "output_usd_per_mtok", "blended_usd_per_mtok", "price_verified_at", "rank_speed",
    "rank_speed_best", "rank_speed_worst", "rank_ttft", "rank_price", "frontier_speed_ttft",
    "frontier_speed_price", "last_ok_at", "freshness", "standing", "uptime", "speed_samples", "ttft_samples",
    "output_speed_tps_p25", "output_speed_tps_p75", "output_speed_tps_p95", "ttft_ms_p05", "ttft_ms_p25",
    "ttft_ms_p75", "frontier_speed_ttft_share", "workload_version",
)  # fmt: skip
LIST_SORTS = (
    "kind", "models_served", "offerings", "providers", "name", "samples", "context_tokens", "released_on",
    "probe_state", "end_to_end_ms_p50", "response_time_500_ms_p50", "slowest_tps", "fastest_tps",
    "soonest_ms", "latest_ms",
)  # fmt: skip
SORTS = frozenset(LEADERBOARD_SORTS + LIST_SORTS)


class BadFilter(Exception):
    """A known query name with a value that cannot be; the text names both and says what is allowed."""

    def __init__(self, parameter: str, value: str, allowed: str) -> None:
        self.parameter, self.value, self.allowed = parameter, value[:80], allowed
        super().__init__(f"{parameter} cannot be “{self.value}”. Allowed: {allowed}.")


class Parameters(Protocol):
    """What parse_filters reads: Django's QueryDict and anything like it."""

    def getlist(self, key: str, /) -> list[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """One view's state. Empty lists and None filter nothing; prices are blended USD per million tokens."""

    q: str = ""
    model: tuple[str, ...] = ()
    creator: tuple[str, ...] = ()
    provider: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    hosting: tuple[str, ...] = ()
    quantization: tuple[str, ...] = ()
    probe_location: tuple[str, ...] = ()
    workload: tuple[str, ...] = ()
    freshness: tuple[str, ...] = ()
    window: str = DEFAULT_WINDOW
    price_min: Decimal | None = None
    price_max: Decimal | None = None
    success_min: float | None = None
    sort: str = ""
    page: int = 1
    hl: tuple[str, ...] = ()
    o: tuple[str, ...] = ()
    x: str = ""
    y: str = ""
    yscale: str = ""
    display: str = ""
    blend: str = ""
    """The mix of the blended price; empty is the snapshot's own, three input to one output."""
    as_of: dt.datetime | None = None
    view: str = ""
    full: bool = False

    @property
    def window_hours(self) -> int:
        return WINDOW_HOURS[self.window]

    @property
    def blended_unit(self) -> str:
        """The unit of the blended price as a column head has it: "USD per 1M, 3:1"."""
        names, _, weights = (self.blend or DEFAULT_BLEND_TEXT).partition("=")
        kinds = "" if names == "input:output" else f" {names.replace('_', ' ')}"
        return f"USD per 1M, {weights}{kinds}"

    @property
    def sort_column(self) -> str:
        """The column sorted by, empty for the view's own order."""
        return self.sort.removeprefix("-")

    @property
    def is_descending(self) -> bool:
        return self.sort.startswith("-")

    @property
    def is_filtering(self) -> bool:
        """Whether rows may be left out, as opposed to being sorted, paged or drawn otherwise."""
        return any(getattr(self, name) != DEFAULTS[name] for name in ROW_FILTERS)

    def without_row_filters(self) -> Filters:
        """The whole view, as `full=1` asks: the same snapshot and order, nothing left out."""
        return replace(self, **{name: DEFAULTS[name] for name in ROW_FILTERS})

    def changed(self, **changes: Any) -> Filters:
        """The same view with some values changed, back on its first page."""
        return replace(self, **{"page": 1} | changes)

    def query(self, *, leave_out: Collection[str] = ()) -> str:
        """The canonical query string: only values that differ from the default, keys sorted, lists repeated."""
        pairs = [
            (name, text)
            for name in sorted(DEFAULTS)
            if name not in leave_out and getattr(self, name) != DEFAULTS[name]
            for text in texts_of(getattr(self, name))
        ]
        return urlencode(pairs)

    def canonical_query(self) -> str:
        """The query of the canonical link: what is shown, without how it is looked at."""
        return self.query(leave_out=VIEW_KEYS)

    def chips(self) -> list[Chip]:
        """Each active filter with the query that removes it."""
        return [
            Chip(name, text, self.without(name, text).query())
            for name in ROW_FILTERS
            if getattr(self, name) != DEFAULTS[name]
            for text in texts_of(getattr(self, name))
        ]

    def without(self, name: str, text: str) -> Filters:
        value = getattr(self, name)
        kept = tuple(v for v in value if v != text) if isinstance(value, tuple) else DEFAULTS[name]
        return self.changed(**{name: kept})


@dataclass(frozen=True, slots=True)
class Chip:
    """One active filter as shown above a list; `query_without` is the address that removes it."""

    parameter: str
    value: str
    query_without: str


DEFAULTS: Mapping[str, Any] = {f.name: f.default for f in fields(Filters)}
ROW_FILTERS = (
    "q", "model", "creator", "provider", "weights", "hosting", "quantization", "probe_location", "workload",
    "freshness", "price_min", "price_max", "success_min",
)  # fmt: skip
VIEW_KEYS = ("page", "hl", "yscale", "display", "view", "full", "sort")


def texts_of(value: Any) -> list[str]:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, bool):
        return [str(int(value))]
    if isinstance(value, dt.datetime):
        return [f"{value.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"]
    if isinstance(value, Decimal):
        return [f"{value:f}"]
    return [str(value)]


def parse_filters(params: Parameters) -> Filters:
    """The view's state from its query; raises BadFilter for the first known name with a bad value."""
    values: dict[str, Any] = {}
    for name, parse in PARSERS.items():
        given = [text.strip() for text in params.getlist(name)]
        given = [text for text in given if text]  # an empty form field is no filter
        if given:
            values[name] = parse(name, given)
    filters = Filters(**values)
    if (
        filters.price_min is not None
        and filters.price_max is not None
        and filters.price_min > filters.price_max
    ):
        raise BadFilter("price_max", str(filters.price_max), f"at least price_min, here {filters.price_min}")
    return filters


Parser = Callable[[str, list[str]], Any]


def text_list(name: str, given: list[str]) -> tuple[str, ...]:
    for text in given:
        if len(text) > TEXT_MAX or not text.isprintable():
            raise BadFilter(name, text, f"printable text of at most {TEXT_MAX} characters")
    unique = sorted(set(given))
    if len(unique) > VALUES_MAX:
        raise BadFilter(name, unique[VALUES_MAX], f"at most {VALUES_MAX} values")
    return tuple(unique)


def one_text(name: str, given: list[str]) -> str:
    (text,) = text_list(name, given[-1:])
    return text


def at_most(count: int) -> Parser:
    def parse(name: str, given: list[str]) -> tuple[str, ...]:
        unique = tuple(dict.fromkeys(text_list(name, [text])[0] for text in given))
        if len(unique) > count:
            raise BadFilter(name, unique[count], f"at most {count} values")
        return unique

    return parse


def choices(allowed: Iterable[str]) -> Parser:
    known = tuple(allowed)

    def parse(name: str, given: list[str]) -> tuple[str, ...]:
        return tuple(sorted({one_of(name, text, known) for text in given}))

    return parse


def choice(allowed: Iterable[str]) -> Parser:
    known = tuple(allowed)
    return lambda name, given: one_of(name, given[-1], known)


def one_of(name: str, text: str, allowed: Collection[str]) -> str:
    if text not in allowed:
        raise BadFilter(name, text, ", ".join(sorted(allowed)))
    return text


def sort_key(name: str, given: list[str]) -> str:
    if given[-1].removeprefix("-") not in SORTS:
        raise BadFilter(name, given[-1], "a column name of the table, with - before it for descending")
    return given[-1]


def money(name: str, given: list[str]) -> Decimal:
    try:
        amount = Decimal(given[-1])
    except InvalidOperation:
        amount = Decimal(-1)
    if not (amount.is_finite() and 0 <= amount <= 1_000_000):
        raise BadFilter(name, given[-1], "USD per million tokens, from 0 to 1000000, as in 0.25")
    return amount


def rate(name: str, given: list[str]) -> float:
    try:
        share = float(given[-1])
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        raise BadFilter(name, given[-1], "a share from 0 to 1, as in 0.95")
    return share


def page_number(name: str, given: list[str]) -> int:
    text = given[-1]
    if not (text.isascii() and text.isdigit() and 1 <= len(text) <= 6 and int(text) >= 1):
        raise BadFilter(name, text, "a whole number from 1")
    return int(text)


def instant(name: str, given: list[str]) -> dt.datetime:
    try:
        moment = dt.datetime.fromisoformat(given[-1])
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise BadFilter(name, given[-1], "an ISO 8601 time in UTC, as in 2026-07-15T12:00:00Z") from None


def mix(name: str, given: list[str]) -> str:
    """Of the rates that a row carries; the default mix is no change of the view."""
    try:
        blend = parse_blend(given[-1])
    except BadBlend as bad:
        raise BadFilter(name, given[-1], f"{BLEND_WORDS} ({bad})") from None
    if "cache_write" in blend.parts:
        raise BadFilter(name, given[-1], BLEND_WORDS)
    return "" if str(blend) == DEFAULT_BLEND_TEXT else str(blend)


def flag(name: str, given: list[str]) -> bool:
    return one_of(name, given[-1], ("0", "1")) == "1"


PARSERS: dict[str, Parser] = {
    "q": one_text,
    "model": text_list,
    "creator": text_list,
    "provider": text_list,
    "weights": choices(Weights.values),
    "hosting": choices(HOSTING),
    "quantization": choices(Quantization.values),
    "probe_location": text_list,
    "workload": text_list,
    "freshness": choices(FRESHNESS),
    "window": choice(WINDOW_HOURS),
    "price_min": money,
    "price_max": money,
    "success_min": rate,
    "sort": sort_key,
    "page": page_number,
    "hl": at_most(HIGHLIGHTS_MAX),
    "o": at_most(COMPARED_MAX),
    "x": choice(AXES),
    "y": choice(AXES),
    "yscale": choice(("linear", "log")),
    "display": choice(DISPLAYS),
    "blend": mix,
    "as_of": instant,
    "view": choice(("chart", "table")),
    "full": flag,
}
