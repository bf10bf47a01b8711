"""datapackage.json, Data Package v2: typed fields, constraints, keys across tables, hashes of closed files."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.exports import dataset
from leaderboard.exports.cells import instant_text
from leaderboard.exports.columns import Column, Table

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
DIALECT = {"header": True, "delimiter": ",", "lineTerminator": "\r\n", "quoteChar": '"', "doubleQuote": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedFile:
    """A CSV file of one table; bytes and hash only where it never changes."""

    path: str
    table: Table
    bytes: int | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        """Unique within the package: `samples/2026/07/samples-2026-07-14.csv.gz` is `samples-2026-07-14`."""
        stem = self.path.rsplit("/", 1)[-1].removesuffix(".gz").removesuffix(".csv")
        return f"{self.table.name}-{stem}" if not stem.startswith(self.table.name) else stem


def datapackage(
    files: Iterable[DescribedFile], *, as_of: dt.datetime | None, homepage: str
) -> dict[str, object]:
    return {
        "$schema": PROFILE,
        "name": dataset.NAME,
        "title": dataset.TITLE,
        "description": dataset.DESCRIPTION,
        "version": dataset.dataset_version(),
        "homepage": homepage,
        "keywords": list(dataset.KEYWORDS),
        "licenses": [{"name": dataset.LICENCE, "title": dataset.LICENCE_TITLE, "path": dataset.LICENCE_URL}],
        "schemaVersion": dataset.SCHEMA_VERSION,
        "methodologyVersion": dataset.METHOD_VERSION,
        **({"created": instant_text(as_of, always_milliseconds=False)} if as_of else {}),
        "resources": [resource(file) for file in files],
    }


def resource(file: DescribedFile) -> dict[str, object]:
    described: dict[str, object] = {
        "name": file.name,
        "type": "table",
        "path": file.path,
        "title": file.table.title,
        "description": f"One row: {file.table.row_is}.",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "dialect": DIALECT,
        "schema": table_schema(file.table),
    }
    if file.path.endswith(".gz"):
        described["compression"] = "gz"
    if file.sha256 is not None:
        described |= {"bytes": file.bytes, "hash": f"sha256:{file.sha256}"}
    return described


def table_schema(table: Table) -> dict[str, object]:
    """Fields, the key, and the keys of other tables that it refers to."""
    schema: dict[str, object] = {
        "fields": [field(column) for column in table.columns],
        "missingValues": [""],
        "primaryKey": list(table.key),
    }
    if table.references:
        schema["foreignKeys"] = [
            {
                "fields": [reference.column],
                "reference": {
                    # Data Package v2: a table that refers to itself leaves the resource out.
                    "resource": "" if reference.table == table.name else reference.table,
                    "fields": [reference.table_column],
                },
            }
            for reference in table.references
        ]
    return schema


def field(column: Column) -> dict[str, object]:
    described: dict[str, object] = {
        "name": column.name,
        "type": column.type,
        "description": column.told,
        "redistributable": column.redistributable,
    }
    if column.unit:
        described["unit"] = column.unit
    if column.type == "boolean":
        described |= {"trueValues": ["true"], "falseValues": ["false"]}
    constraints = field_constraints(column)
    return described | ({"constraints": constraints} if constraints else {})


def field_constraints(column: Column) -> dict[str, object]:
    bounds = column.bounds
    given = {
        "required": column.required or None,
        "enum": list(column.one_of) or None,
        "pattern": column.pattern or None,
        "minimum": bounds.at_least,
        "exclusiveMinimum": bounds.above,
        "maximum": bounds.at_most,
    }
    return {name: value for name, value in given.items() if value is not None}
