"""Just enough of HTTP/1.1 to read the lab's requests."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

MAX_HEADER_BYTES = 65_536
MAX_BODY_BYTES = 32_000_000


class BadRequest(ValueError):
    """The bytes are no request that the lab serves."""


@dataclass(frozen=True, slots=True)
class Request:
    """One whole request; header names are lower-case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    request_id: str
    """The client's own, or one made up when the request came."""

    @property
    def keeps_open(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"

    def fields(self) -> dict[str, object]:
        """The JSON object in the body. Raises BadRequest."""
        try:
            fields = json.loads(self.body)
        except ValueError as error:
            raise BadRequest("The body is not JSON.") from error
        if not isinstance(fields, dict):
            raise BadRequest("The body is not a JSON object.")
        return fields


def take_request(received: bytearray) -> Request | None:
    """Remove one whole request from the front of `received`; None while it is not whole. Raises BadRequest."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        if len(received) > MAX_HEADER_BYTES:
            raise BadRequest("The header is too long.")
        return None
    lines = bytes(received[:end]).decode("latin-1").split("\r\n")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
    }
    length = _body_length(headers)
    if len(received) < end + 4 + length:
        return None
    words = lines[0].split(" ")
    if len(words) != 3:
        raise BadRequest("The request line is not one.")
    body = bytes(received[end + 4 : end + 4 + length])
    del received[: end + 4 + length]
    return Request(words[0], words[1], headers, body, headers.get("x-request-id") or uuid.uuid4().hex)


def _body_length(headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise BadRequest("The lab wants a Content-Length.")
    text = headers.get("content-length", "0")
    if not text.isdecimal() or int(text) > MAX_BODY_BYTES:
        raise BadRequest("The Content-Length is not one that the lab takes.")
    return int(text)
