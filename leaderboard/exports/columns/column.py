"""What a published column is: one description from which headers, schemas, dictionary and values are made."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from operator import attrgetter
from typing import Any, Literal

ColumnType = Literal["string", "integer", "number", "boolean", "date", "datetime"]
Value = str | int | float | Decimal | bool | dt.datetime | dt.date | uuid.UUID | None

DECIMALS_BY_UNIT = {
    "ms": 3,
    "tokens/s": 4,
    "tokens/s per request": 4,
    "output tokens/s, whole endpoint": 4,
    "output tokens/s per GPU": 4,
    "prompt tokens/s, whole endpoint": 4,
    "0..1": 6,
    "J per output token": 6,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Which numbers are allowed; None is no bound."""

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None

    def __str__(self) -> str:
        if self.at_least is not None and self.at_most is not None:
            return f"{self.at_least:g}..{self.at_most:g}"
        if self.above is not None:
            return f">{self.above:g}"
        return f">={self.at_least:g}" if self.at_least is not None else ""

    def allow(self, number: float | Decimal) -> bool:
        return (
            (self.at_least is None or number >= self.at_least)
            and (self.above is None or number > self.above)
            and (self.at_most is None or number <= self.at_most)
        )


POSITIVE = Bounds(above=0)
NOT_NEGATIVE = Bounds(at_least=0)
FROM_ONE = Bounds(at_least=1)
SHARE = Bounds(at_least=0, at_most=1)
UNBOUNDED = Bounds()


KEPT_AFTER_NOTICE = dt.timedelta(days=365)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deprecation:
    """Since when something is not to be built on, until when it stays (None: not set yet), and what to take instead.

    `successor` is a column's name or, beginning with a slash, an address. Raises ValueError for a shorter farewell than
    the policy grants.
    """

    since: dt.datetime
    why: str
    sunset: dt.datetime | None = None
    successor: str = ""

    def __post_init__(self) -> None:
        if self.sunset is not None and self.sunset < self.since + KEPT_AFTER_NOTICE:
            raise ValueError("what is published stays for twelve months after its end is announced")

    def __str__(self) -> str:
        until = f", goes on {self.sunset:%Y-%m-%d}" if self.sunset else ""
        instead = f"; take {self.successor}" if self.successor else ""
        return f"deprecated since {self.since:%Y-%m-%d}{until}{instead}: {self.why}"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a published table. `get` takes the table's row; without it the attribute of the same name is read.

    `exact` keeps the stored precision; otherwise the unit decides the published decimals.
    """

    name: str
    type: ColumnType
    meaning: str
    unit: str = ""
    required: bool = False
    one_of: tuple[str, ...] = ()
    pattern: str = ""
    bounds: Bounds = UNBOUNDED
    get: Callable[[Any], Value] | None = None
    exact: bool = False
    deprecated: Deprecation | None = None
    withheld: str = ""
    """Why the figures may not be passed on (a third party's licence); empty where they may."""

    @property
    def redistributable(self) -> bool:
        return not self.withheld

    @property
    def told(self) -> str:
        """The meaning, and what else a reader must know before building on the column."""
        withheld = f"may not be passed on: {self.withheld}" if self.withheld else ""
        return "; ".join(filter(None, (self.meaning, str(self.deprecated or ""), withheld)))

    @property
    def decimals(self) -> int | None:
        """Fixed decimals of a published figure; None where the value is exact as it stands."""
        if self.type != "number" or self.exact:
            return None
        return DECIMALS_BY_UNIT.get(self.unit)

    @property
    def shows_milliseconds(self) -> bool:
        return self.unit == "UTC, ms"

    @property
    def allowed(self) -> str:
        """The constraint in the dictionary's form, or an empty text."""
        if self.one_of:
            return " | ".join(self.one_of)
        if self.pattern:
            return f"pattern `{self.pattern}`"
        return str(self.bounds)

    def value(self, row: Any) -> Value:
        getter = self.get or attrgetter(self.name)
        value: Value = getter(row)
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A column whose values are another table's key."""

    column: str
    table: str
    table_column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One published table: `name` is the file's stem."""

    name: str
    title: str
    row_is: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    references: tuple[Reference, ...] = ()
    deprecated: Deprecation | None = None

    @property
    def withheld(self) -> tuple[Column, ...]:
        """Columns whose figures may not be passed on: a file with one is refused."""
        return tuple(column for column in self.columns if not column.redistributable)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def or_none(attribute: str) -> Callable[[Any], Value]:
    """A getter for text that is stored empty where unknown."""
    read = attrgetter(attribute)
    return lambda row: read(row) or None


def joined(attribute: str, *, otherwise: str | None = None) -> Callable[[Any], Value]:
    """A getter for a list of texts, published with semicolons between."""
    read = attrgetter(attribute)
    return lambda row: ";".join(read(row)) or otherwise


SIMULATED = "true = demo lab, not a real service"
OFFERING_REFERENCE = Reference(column="offering_id", table="offerings", table_column="offering_id")
