"""The query names of list views: parsed once, checked, and written back in one canonical form.

Known names with a bad value raise BadFilter; unknown names are ignored, so that a tracking tag breaks nothing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any, Protocol
from urllib.parse import urlencode

from leaderboard.catalogue.models import Quantization, Weights
from leaderboard.catalogue.pricing import DEFAULT_BLEND_TEXT, BadBlend, parse_blend
from leaderboard.ranking.pareto import AXES
from leaderboard.ranking.query_values import (
    BadFilter,
    Parser,
    at_most,
    choice,
    choices,
    flag,
    instant,
    money,
    one_text,
    page_number,
    rate,
    text_list,
)

__all__ = ["BadFilter", "Filters", "instant", "parse_filters"]

WINDOW_HOURS = {"24h": 24, "72h": 72, "14d": 336}
DEFAULT_WINDOW = "72h"
FRESHNESS = ("fresh", "late", "stale", "no_data")
HOSTING = ("serverless", "dedicated", "self_hosted")
PAGE_SIZE = 200
HIGHLIGHTS_MAX = 8
COMPARED_MAX = 6
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


def sort_key(name: str, given: list[str]) -> str:
    if given[-1].removeprefix("-") not in SORTS:
        raise BadFilter(name, given[-1], "a column name of the table, with - before it for descending")
    return given[-1]


def mix(name: str, given: list[str]) -> str:
    """Of the rates that a row carries; the default mix is no change of the view."""
    try:
        blend = parse_blend(given[-1])
    except BadBlend as bad:
        raise BadFilter(name, given[-1], f"{BLEND_WORDS} ({bad})") from None
    if "cache_write" in blend.parts:
        raise BadFilter(name, given[-1], BLEND_WORDS)
    return "" if str(blend) == DEFAULT_BLEND_TEXT else str(blend)


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
