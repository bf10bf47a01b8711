"""A price with its terms, unsaved: what the pure arithmetic is tested on."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from leaderboard.catalogue.pricing import Rates


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    valid_from: dt.datetime
    valid_to: dt.datetime | None = None
    context_above_tokens: int | None = None
    hours_utc: str = ""
    weekdays: str = ""
    rates: Rates = field(default_factory=Rates)
