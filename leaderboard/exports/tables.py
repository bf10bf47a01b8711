"""A table of rows as one of its files: the step between a view that found the rows and the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponseBase

from . import metadata
from .columns import Table
from .responses import File, answer
from .writers import csv_text, json_text


def table_answer(
    request: HttpRequest, table: Table, file: File, rows: Callable[[], Iterable[Any]]
) -> HttpResponseBase:
    """`rows` is called only where the reader does not have the file already."""
    file = replace(file, table=table)
    return answer(request, file, lambda: table_bytes(request, table, file, rows))


def table_bytes(request: HttpRequest, table: Table, file: File, rows: Callable[[], Iterable[Any]]) -> bytes:
    if file.ending == "csv":
        return csv_text(table.columns, rows()).encode()
    if file.ending == "json":
        return json_text(table.columns, rows(), about=metadata.about(table, file.as_of)).encode()
    url = request.build_absolute_uri(request.path)
    return metadata.view_metadata(table, file.as_of, query=file.query, url=url)
