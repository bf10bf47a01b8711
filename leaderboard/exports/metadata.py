"""What stands beside a view's rows: the table's description, the instant, the filters, licence and citation."""

from __future__ import annotations

import datetime as dt
import json

from . import dataset
from .cells import instant_text
from .columns import Column, Table


def about(table: Table, as_of: dt.datetime | None) -> dict[str, object]:
    """The head of every JSON file of rows."""
    return {
        "table": table.name,
        "as_of": None if as_of is None else instant_text(as_of, always_milliseconds=False),
        "schema_version": dataset.SCHEMA_VERSION,
        "methodology_version": dataset.METHOD_VERSION,
        "license": dataset.LICENCE,
    }


def described(column: Column) -> dict[str, object]:
    """One column for machines; keys that say nothing are left out."""
    description: dict[str, object] = {
        "name": column.name,
        "type": column.type,
        "meaning": column.meaning,
        "required": column.required,
        "redistributable": column.redistributable,
    }
    if column.withheld:
        description["withheld"] = column.withheld
    if column.deprecated:
        description["deprecated"] = str(column.deprecated)
    if column.unit:
        description["unit"] = column.unit
    if column.allowed:
        description["allowed"] = column.allowed
    if column.decimals is not None:
        description["decimals"] = column.decimals
    return description


def view_metadata(table: Table, as_of: dt.datetime | None, *, query: str, url: str) -> bytes:
    """The .metadata.json of a view."""
    document = about(table, as_of) | {
        "title": table.title,
        "one_row_is": table.row_is,
        "key": list(table.key),
        "query": query,
        "license_url": dataset.LICENCE_URL,
        "columns": [described(column) for column in table.columns],
    }
    if as_of is not None:
        document["citation_short"] = dataset.short_citation(as_of)
        document["citation_long"] = dataset.long_citation(as_of, url=url)
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()
