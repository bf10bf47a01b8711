"""What a price catalogue says, before anyone believes it. Reading it touches no database."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from leaderboard.catalogue.pricing import Rates


class BadCatalogue(ValueError):
    """The bytes are not that catalogue; the text says what was expected."""


class RefusedEntry(ValueError):
    """One entry cannot be read for sure; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceLine:
    """Rates with their terms; several lines of one instant are a price list."""

    rates: Rates
    context_above_tokens: int | None = None
    hours_utc: str = ""
    weekdays: str = ""


@dataclass(frozen=True, slots=True)
class PriceList:
    """Lines that hold together from an instant; None is "as of when it was read"."""

    valid_from: dt.datetime | None
    lines: tuple[PriceLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What the catalogue says of the model; None is unknown."""

    context_tokens: int | None = None
    max_output_tokens: int | None = None
    reasoning: bool | None = None
    is_open: bool | None = None
    modality_in: tuple[str, ...] = ()
    modality_out: tuple[str, ...] = ()
    released_on: dt.date | None = None
    weights_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One seller's offer of one model, by the names the catalogue uses for both."""

    provider: str
    model: str
    display_name: str = ""
    price_lists: tuple[PriceList, ...] = ()
    facts: ModelFacts = field(default_factory=ModelFacts)
    source_url: str = ""
    is_retired: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry that became no quote, or no offering, and why."""

    provider: str
    model: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All a catalogue said: quotes, what was left out on purpose, and what was refused."""

    source: str
    quotes: tuple[Quote, ...]
    left_out: tuple[LeftOut, ...] = ()
    refused: tuple[LeftOut, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)
    """Counts of what was read but is not kept, such as prices of images."""
    sha256: str = ""


def refuse_unknown(entry: Mapping[str, object], known: Collection[str], where: str) -> None:
    """Raise RefusedEntry for the first field this importer has not been taught to read or to pass over."""
    for name in entry:
        if name not in known:
            raise RefusedEntry(f"unknown field {name!r} in {where}")
