"""What the API takes and gives, as OpenAPI tells it; answers are made from the columns."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import BaseModel, Field, create_model

from leaderboard.exports.columns import Column, Table

LIMIT_DEFAULT, LIMIT_MAX = 100, 1000
Id = Annotated[str, Field(max_length=200, pattern=r"^[a-z0-9][a-z0-9._~/-]*$")]
Name = Annotated[str, Field(max_length=120, pattern=r"^[A-Za-z0-9][A-Za-z0-9 .,&()'-]*$")]
Window = Literal["24h", "72h", "14d"]
PYTHON_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "date": dt.date,
    "datetime": dt.datetime,
}


class Paged(Schema):
    limit: int = Field(LIMIT_DEFAULT, ge=1, le=LIMIT_MAX, description="Rows in one answer.")
    cursor: str | None = Field(
        None, max_length=1000, pattern=r"^[A-Za-z0-9_-]+$", description="`next` of the answer before; opaque."
    )


class LeaderboardQuery(Paged):
    model: list[Id] = Field([], description="model_id; repeat for several.")
    creator: list[Name] = Field([], description="Who trained the model.")
    provider: list[Id] = Field([], description="provider_id.")
    weights: list[Literal["open", "proprietary"]] = []
    hosting: list[Literal["serverless", "dedicated", "self_hosted"]] = []
    probe_location: list[Id] = []
    workload: list[Id] = []
    window: Window = "72h"
    quantization: list[Id] = []
    freshness: list[Literal["fresh", "late", "stale", "no_data"]] = []
    price_min: float | None = Field(None, ge=0, description="Blended USD per million tokens.")
    price_max: float | None = Field(None, ge=0, description="Blended USD per million tokens.")
    success_min: float | None = Field(None, ge=0, le=1)
    as_of: dt.datetime | None = Field(
        None, description="The newest snapshot kept at or before this instant, instead of the newest of all."
    )


class ModelsQuery(Paged):
    creator: list[Name] = []
    weights: list[Literal["open", "proprietary"]] = []


class OfferingsQuery(Paged):
    model: list[Id] = []
    provider: list[Id] = []


class OfferingQuery(Paged):
    offering_id: Id


class Error(Schema):
    code: str
    message: str
    docs: str


class ErrorAnswer(Schema):
    error: Error


def row_schema(table: Table) -> type[BaseModel]:
    fields: dict[str, Any] = {
        column.name: (field_type(column), described(column)) for column in table.columns
    }
    return create_model(f"{table.title.split(' (')[0].title().replace(' ', '')}Row", **fields)


def field_type(column: Column) -> Any:
    kind: Any = uuid.UUID if column.name == "sample_id" else PYTHON_TYPES[column.type]
    if column.one_of:
        kind = Literal[column.one_of]
    return kind if column.required else kind | None


def described(column: Column) -> Any:
    text = f"{column.told} [{column.unit}]" if column.unit else column.told
    return Field(..., description=text, deprecated=True if column.deprecated else None)


def page_schema(table: Table) -> type[BaseModel]:
    row = row_schema(table)
    return create_model(
        f"{row.__name__.removesuffix('Row')}Page",
        table=(str, Field(..., description="The table of the data dictionary.")),
        as_of=(dt.datetime | None, Field(..., description="The instant the rows stand for.")),
        schema_version=(str, ...),
        methodology_version=(str, ...),
        license=(str, ...),
        next=(str | None, Field(..., description="Cursor of the next rows; null at the end.")),
        rows=(list[row], ...),  # type: ignore[valid-type]
    )
