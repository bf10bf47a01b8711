"""leaderboard.csv-metadata.json: CSV on the Web, found by its default place beside the file."""

from __future__ import annotations

import re

from leaderboard.exports import dataset
from leaderboard.exports.columns import Column, Table

BASES = {
    "string": "string",
    "integer": "integer",
    "number": "decimal",
    "boolean": "boolean",
    "date": "date",
    "datetime": "dateTime",
}


def csv_metadata(table: Table) -> dict[str, object]:
    return {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "url": f"{table.name}.csv",
        "dc:title": table.title,
        "dc:description": f"One row: {table.row_is}.",
        "dc:license": {"@id": dataset.LICENCE_URL},
        "dialect": {"encoding": "utf-8", "header": True, "lineTerminators": ["\r\n"], "delimiter": ","},
        "tableSchema": {
            "columns": [described(column) for column in table.columns],
            "primaryKey": list(table.key),
        },
    }


def described(column: Column) -> dict[str, object]:
    datatype: dict[str, object] = {"base": BASES[column.type]}
    if column.type == "boolean":
        datatype["format"] = "true|false"
    if column.pattern:
        datatype["format"] = column.pattern
    if column.one_of:
        datatype["format"] = f"^({'|'.join(re.escape(value) for value in column.one_of)})$"
    if column.bounds.at_least is not None:
        datatype["minimum"] = column.bounds.at_least
    if column.bounds.above is not None:
        datatype["minExclusive"] = column.bounds.above
    if column.bounds.at_most is not None:
        datatype["maximum"] = column.bounds.at_most
    return {
        "name": column.name,
        "titles": column.name,
        "dc:description": f"{column.meaning} [{column.unit}]" if column.unit else column.meaning,
        "datatype": datatype,
        "required": column.required,
        "null": [""],
    }
