"""What a protocol module offers: how to ask, and how to read what comes back.

Reading never raises but BrokenMessageError; asking raises CannotAskError with a sentence for the operator.
A key goes into headers only, never into a URL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from probes.endpoint import Endpoint
from probes.events import Event
from probes.json_access import JsonObject
from probes.streams.message import Message

VERSION_SEGMENT = re.compile(r"v\d+(?:(?:alpha|beta)\d*)?")
JSON_HEADERS = {"content-type": "application/json", "accept-encoding": "identity"}


class BrokenMessageError(Exception):
    """A message that is not what the protocol allows: it may hide tokens, so the stream cannot be trusted."""


class CannotAskError(Exception):
    """The request cannot be built; the text says what to set."""


class Framing(StrEnum):
    """How a protocol cuts its stream into messages."""

    SSE = "sse"
    JSON_LINES = "json_lines"
    AWS_EVENT_STREAM = "aws_event_stream"


@dataclass(frozen=True, slots=True)
class Ask:
    """One question: the prompt, and what to allow the answer."""

    prompt: str
    max_output_tokens: int
    temperature: float | None = 0.0
    """None leaves the provider's own default."""
    system: str | None = None
    request_id: str | None = None
    """Sent as X-Request-Id."""
    stream: bool = True


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request ready to be written; `headers` hold the key and are left out of the repr."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Protocol:
    """One API style. `read` takes a stream's message, `read_answer` a whole JSON answer."""

    slug: str
    prepare: Callable[[Endpoint, Ask], PreparedRequest]
    read: Callable[[Message], Sequence[Event]]
    read_answer: Callable[[JsonObject], Sequence[Event]]
    framing: Framing = Framing.SSE
    read_headers: Callable[[Mapping[str, str]], Sequence[Event]] | None = None
    """For providers that tell usage or timing in the answer's headers."""
    follow: Callable[[Endpoint, PreparedRequest, JsonObject], PreparedRequest | None] | None = None
    """For APIs whose first answer only names the stream: from it the request for the stream; None where it names none.

    Raises CannotAskError where the key would have to travel to a host it was not meant for.
    """


def post_json(
    endpoint: Endpoint, ask: Ask, url: str, payload: Mapping[str, object], *, key_headers: Mapping[str, str]
) -> PreparedRequest:
    """A JSON POST: the protocol's own headers first, so that the endpoint's can override them."""
    headers = {**JSON_HEADERS, "accept": "text/event-stream" if ask.stream else "application/json"}
    headers.update(key_headers)
    if ask.request_id:
        headers["x-request-id"] = ask.request_id
    headers.update({name.lower(): value for name, value in endpoint.headers.items()})
    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    return PreparedRequest("POST", url, headers, body)


def refuse_effort(endpoint: Endpoint) -> None:
    """For protocols without words for an effort. Raises CannotAskError: asked without it, it is another model."""
    if endpoint.reasoning_effort:
        raise CannotAskError(
            f"{endpoint.protocol} has no way to ask for the effort {endpoint.reasoning_effort!r}: "
            "choose another protocol, or a model whose id names no effort"
        )


def bearer(endpoint: Endpoint) -> dict[str, str]:
    return {"authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}


def join_url(base_url: str, path: str) -> str:
    """`path` appended to the base, whose own query string is kept."""
    base, question, query = base_url.partition("?")
    return base.rstrip("/") + path + question + query


def join_versioned(base_url: str, version: str, path: str) -> str:
    """`path` under the API's version segment, which the base may hold already or not."""
    base, question, query = base_url.partition("?")
    base = base.rstrip("/")
    segments = base.partition("://")[2].split("/")[1:]
    if not any(segment == version or VERSION_SEGMENT.fullmatch(segment) for segment in segments):
        base = f"{base}/{version}"
    return base + path + question + query


def parse_object(message: Message) -> JsonObject | None:
    """The message's JSON object; None for an empty message or a comment in disguise (`data: : keepalive`).

    An event named `error` may hold a plain sentence: it reads as an error object of that text.
    """
    text = message.data.strip()
    if not text or text.startswith(":"):
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        if message.event == "error":
            return {"error": text}
        raise BrokenMessageError(f"an event is not JSON: {text[:120]}") from None
    if isinstance(document, list) and len(document) == 1:
        document = document[0]
    if not isinstance(document, dict):
        raise BrokenMessageError(f"an event is not a JSON object: {text[:120]}")
    return document
