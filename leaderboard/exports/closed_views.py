"""Closed files over HTTP: strong ETag from their hash, ranges, cached for ever."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response
from django.utils.http import http_date

from .closed_files import CHECKSUMS, ClosedFile, closed_root, read_manifest
from .errors import error_response
from .views import answering_in_json

IMMUTABLE = "public, max-age=31536000, immutable"
MEDIA_TYPES = {
    ".csv.gz": "application/gzip",
    ".parquet": "application/vnd.apache.parquet",
    ".zip": "application/zip",
}
BLOCK_BYTES = 65_536
ONE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})$")


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` to `end`, both included."""

    start: int
    end: int


class Unsatisfiable(Exception):
    """The range lies outside the file."""


def asked_span(header: str, size: int) -> Span | None:
    """The one range asked for; None where the whole file is to be sent (several ranges, or not understood)."""
    match = ONE_RANGE.match(header.strip())
    if not match or (not match[1] and not match[2]):
        return None
    if not match[1]:
        length = int(match[2])
        if length == 0:
            raise Unsatisfiable
        return Span(max(0, size - length), size - 1)
    start = int(match[1])
    end = min(int(match[2]), size - 1) if match[2] else size - 1
    if start >= size:
        raise Unsatisfiable
    return Span(start, end) if start <= end else None


@answering_in_json
def closed_file(request: HttpRequest, path: str) -> HttpResponseBase:
    file = read_manifest().file(path)
    if file is None:
        raise Http404
    tag = f'"{file.sha256[:32]}"'
    modified = int(dt.datetime.fromisoformat(file.closed_at).timestamp())
    unchanged: HttpResponseBase | None = get_conditional_response(request, tag, modified)
    response = unchanged or content(request, file, tag, modified)
    response["ETag"] = tag
    response["Last-Modified"] = http_date(modified)
    response["Cache-Control"] = IMMUTABLE
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = "ETag, Content-Range, Content-Length, Accept-Ranges"
    return response


def content(request: HttpRequest, file: ClosedFile, tag: str, modified: int) -> HttpResponseBase:
    try:
        span = asked_span(request.headers.get("Range", ""), file.bytes)
    except Unsatisfiable:
        refused = error_response(416, "range", f"The file has {file.bytes} bytes.")
        refused["Content-Range"] = f"bytes */{file.bytes}"
        return refused
    if request.headers.get("If-Range", tag) not in (tag, http_date(modified)):
        span = None
    whole = Span(0, file.bytes - 1)
    sent = span or whole
    body = () if request.method == "HEAD" else pieces(closed_root() / file.path, sent)
    response = StreamingHttpResponse(body, status=206 if span else 200)
    if span:
        response["Content-Range"] = f"bytes {sent.start}-{sent.end}/{file.bytes}"
    response["Content-Type"] = media_type(file.path)
    response["Content-Length"] = str(sent.end - sent.start + 1)
    response["Accept-Ranges"] = "bytes"
    response["Content-Disposition"] = f'attachment; filename="{Path(file.path).name}"'
    return response


def pieces(path: Path, span: Span) -> Iterator[bytes]:
    with path.open("rb") as stream:
        stream.seek(span.start)
        left = span.end - span.start + 1
        while left and (block := stream.read(min(BLOCK_BYTES, left))):
            left -= len(block)
            yield block


def media_type(path: str) -> str:
    return next((kind for ending, kind in MEDIA_TYPES.items() if path.endswith(ending)), "text/plain")


@answering_in_json
def checksums(request: HttpRequest) -> HttpResponseBase:
    """Every closed file's SHA-256, in the form `sha256sum -c` reads; empty before the first."""
    try:
        text = (closed_root() / CHECKSUMS).read_text()
    except FileNotFoundError:
        text = ""
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = "public, max-age=300"
    return response


@answering_in_json
def snapshot_index(request: HttpRequest) -> HttpResponseBase:
    """snapshots/index.json: the frozen months, newest first."""
    found = [file for file in read_manifest().files if file.path.startswith("snapshots/")]
    months = [
        {
            "month": Path(file.path).stem,
            "path": file.path,
            "samples": file.rows,
            "bytes": file.bytes,
            "sha256": file.sha256,
            "closed_at": file.closed_at,
        }
        for file in sorted(found, key=lambda f: f.path, reverse=True)
    ]
    response = JsonResponse({"snapshots": months})
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = "public, max-age=300"
    return response
