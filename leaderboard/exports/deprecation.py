"""What will go away: declared once at a column, a table or an address, and told in headers, dictionary and metadata.

`Deprecation` is RFC 9745's (`@` and seconds), `Sunset` RFC 8594's (an HTTP date).
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpResponseBase
from django.utils.http import http_date

from .columns import Deprecation, Table

ADDRESSES: dict[str, Deprecation] = {}
"""Files and look-ups that are going, by path; none is."""
DICTIONARY = "/data/dictionary/"


def notices(path: str, table: Table | None) -> list[Deprecation]:
    """Of the address, of the table, and of its columns."""
    of_address = ADDRESSES.get(path)
    of_table = [table.deprecated, *(column.deprecated for column in table.columns)] if table else []
    return [notice for notice in (of_address, *of_table) if notice is not None]


def tell(
    response: HttpResponseBase, path: str, table: Table | None, *, absolute: Callable[[str], str]
) -> None:
    """Nothing where nothing is going; else the earliest instants, where to read of it, and what to take instead."""
    found = notices(path, table)
    if not found:
        return
    response["Deprecation"] = f"@{int(min(notice.since for notice in found).timestamp())}"
    sunsets = [notice.sunset for notice in found if notice.sunset is not None]
    if sunsets:
        response["Sunset"] = http_date(min(sunsets).timestamp())
    links = [
        response.get("Link", ""),
        f'<{absolute(dictionary_place(table))}>; rel="deprecation"; type="text/html"',
    ]
    links += [
        f'<{absolute(notice.successor)}>; rel="successor-version"'
        for notice in found
        if notice.successor.startswith("/")
    ]
    response["Link"] = ", ".join(filter(None, links))


def dictionary_place(table: Table | None) -> str:
    return f"{DICTIONARY}#{table.name}" if table else DICTIONARY
