"""How a file answers: conditional requests, compression, cross-origin reads, caching, and a name that says what it is.

The ETag is made of the file, the instant and the query, so that it is known before the body is made.
"""

from __future__ import annotations

import datetime as dt
import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date

from . import dataset, deprecation
from .columns import Table
from .errors import Refusal

CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8; header=present",
    "json": "application/json; charset=utf-8",
    "metadata.json": "application/json; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "md": "text/markdown; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "atom": "application/atom+xml; charset=utf-8",
    "svg": "image/svg+xml; charset=utf-8",
    "cff": "text/yaml; charset=utf-8",
}
DATA_PACKAGE_TYPE = "application/vnd.datapackage+json"
CSVW_TYPE = "application/csvm+json"
CSVW_DESCRIBED = f"{dataset.ROOT}leaderboard.csv"
"""The file that has a description of its own for CSV on the Web; a reader takes the first link it knows."""
LIVE_S = 60
REFERENCE_S = 300
STALE_S = 300
WORTH_COMPRESSING = 1_000
COMPRESSION_LEVEL = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """What is known of a file before its body: enough for the headers and for 304."""

    name: str
    ending: str
    as_of: dt.datetime | None
    version: str = ""
    """What else its content depends on, as text: a catalogue's last change, a schema."""
    query: str = ""
    """The canonical query: one view has one key, whatever else stands in the address."""
    filter_words: tuple[str, ...] = ()
    """What the view was filtered to, for the file's name."""
    max_age_s: int = LIVE_S
    table: Table | None = None
    """The table whose rows it holds, where it holds rows: what is said of its columns holds for the file."""


def etag(request: HttpRequest, file: File) -> str:
    as_of = file.as_of.isoformat() if file.as_of else "never"
    parts = [request.path, as_of, file.version, dataset.SCHEMA_VERSION, file.query]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def file_name(file: File) -> str:
    """Table, as-of to the hour, filters: `leaderboard-2026-07-15T12Z-open.csv`."""
    words = [file.name]
    if file.as_of:
        words.append(f"{file.as_of.astimezone(dt.UTC):%Y-%m-%dT%HZ}")
    words += [re.sub(r"[^a-zA-Z0-9.]+", "-", word).strip("-.") for word in file.filter_words]
    return f"{'-'.join(filter(None, words))[:120]}.{file.ending}"


def accepts_gzip(request: HttpRequest) -> bool:
    for part in request.headers.get("Accept-Encoding", "").lower().split(","):
        coding, _, weight = part.strip().partition(";")
        if coding.strip() == "gzip":
            return not re.fullmatch(r"q=0(\.0*)?", weight.strip())
    return False


def gzipped(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks as one gzip stream, with no time in its header: the same input gives the same bytes."""
    compressor = zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    for block in blocks:
        if piece := compressor.compress(block):
            yield piece
    yield compressor.flush()


def answer(
    request: HttpRequest, file: File, make_body: Callable[[], bytes | Iterator[bytes]]
) -> HttpResponseBase:
    """304 where the reader has it already; else the body, whole or as a stream, compressed where asked for.

    Raises Refusal for rows that may not be passed on.
    """
    if file.table is not None and file.ending != "metadata.json":
        refuse_withheld(file.table)
    compress = accepts_gzip(request)
    tag = etag(request, file)
    tag = f'W/"{tag}"' if compress else f'"{tag}"'
    modified = int(file.as_of.timestamp()) if file.as_of else None
    response: HttpResponseBase | None = get_conditional_response(request, tag, modified)
    if response is None:
        response = with_body(request, make_body, compress=compress)
        response["Content-Type"] = CONTENT_TYPES[file.ending]
        kind = "attachment" if file.ending in ("csv", "parquet") else "inline"
        response["Content-Disposition"] = f'{kind}; filename="{file_name(file)}"'
    add_headers(request, response, file, tag, modified)
    return response


def refuse_withheld(table: Table) -> None:
    """A third party's figures are described and not handed on."""
    if table.withheld:
        words = "; ".join(f"{column.name}: {column.withheld}" for column in table.withheld)
        raise Refusal(
            403,
            "not_redistributable",
            f"{table.name} holds figures that may not be passed on ({words}). The dictionary describes them.",
        )


def with_body(
    request: HttpRequest, make_body: Callable[[], bytes | Iterator[bytes]], *, compress: bool
) -> HttpResponseBase:
    body = make_body()
    response: HttpResponseBase
    if isinstance(body, bytes):
        compress = compress and len(body) >= WORTH_COMPRESSING
        response = HttpResponse(gzip.compress(body, COMPRESSION_LEVEL, mtime=0) if compress else body)
    elif request.method == "HEAD":
        response = StreamingHttpResponse(())
    else:
        response = StreamingHttpResponse(gzipped(body) if compress else body)
    if compress:
        response["Content-Encoding"] = "gzip"
    return response


def add_headers(
    request: HttpRequest, response: HttpResponseBase, file: File, tag: str, modified: int | None
) -> None:
    response["ETag"] = tag
    if modified is not None:
        response["Last-Modified"] = http_date(modified)
    response["Cache-Control"] = f"public, max-age={file.max_age_s}, stale-while-revalidate={STALE_S}"
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = (
        "ETag, Link, Content-Disposition, Last-Modified, Deprecation, Sunset"
    )
    response["Link"] = links(request, file)
    deprecation.tell(response, request.path, file.table, absolute=request.build_absolute_uri)
    if file.query:
        # The view without a query is the one to index.
        response["X-Robots-Tag"] = "noindex"
    patch_vary_headers(response, ["Accept-Encoding"])


def links(request: HttpRequest, file: File) -> str:
    address = request.build_absolute_uri
    entries = [
        # As plain JSON a reader of CSV on the Web would take it for its own kind of description.
        f'<{address(dataset.ROOT + "datapackage.json")}>; rel="describedby"; type="{DATA_PACKAGE_TYPE}"',
        f'<{dataset.LICENCE_URL}>; rel="license"',
        f'<{address("/data/")}>; rel="cite-as"',
    ]
    if request.path == CSVW_DESCRIBED:
        entries.insert(
            0, f'<{address(f"{CSVW_DESCRIBED}-metadata.json")}>; rel="describedby"; type="{CSVW_TYPE}"'
        )
    if file.query:
        entries.append(f'<{address(request.path)}>; rel="canonical"')
    return ", ".join(entries)
