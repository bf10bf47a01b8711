"""What the figures over time and of distributions draw. None is unknown and leaves a gap."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One series by UTC day, in order; days without a value are absent or None."""

    id: str
    name: str
    values: tuple[tuple[dt.date, float | None], ...]
    breaks: frozenset[dt.date] = frozenset()
    """First days of another method: no line is drawn up to them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that happened: a vertical rule with its words."""

    on: dt.date
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """One offering's distribution: percentiles of the value, and the 95 % interval of its median."""

    id: str
    name: str
    href: str
    weights: str
    p05: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p95: float | None
    low: float | None
    high: float | None
    self_hosted: bool = False
    provisional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A price from an instant on; `verified_at` is the last time it was seen."""

    since: dt.datetime
    value: float | None
    verified_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hour:
    """One UTC hour's median and quartiles, with n."""

    hour: int
    samples: int
    p25: float | None
    p50: float | None
    p75: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """One UTC day of an offering's reliability; no attempts is None, not 100 %."""

    on: dt.date
    scheduled: int
    total: int
    ok: int
    timeouts: int
    rate_limited: int
    server_errors: int
    other: int
    success_rate: float | None

    @property
    def is_ours(self) -> bool:
        """Planned but not done: our own probes were down."""
        return self.scheduled > 0 and self.total == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One offering on the compare page."""

    id: str
    name: str
    href: str
    weights: str
    speed: float | None
    speed_low: float | None
    speed_high: float | None
    ttft: float | None
    ttft_low: float | None
    ttft_high: float | None
    success: float | None
    price: float | None
