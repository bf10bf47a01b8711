"""Replicate: a prediction is created first and answers with the address of its stream, plain text in SSE.

`prepare` creates the prediction, `follow` asks for its stream. Both are one probe: t0 is when the first request begins
to be written, since the model starts then; a clock that began with the stream would leave out the wait for it and count
tokens that were ready before it. What the stream's own connection costs is therefore inside the first token's time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, Part, StreamError
from probes.json_access import JsonObject, list_of, object_of, text_of
from probes.protocols.errors import find_error
from probes.protocols.protocol import (
    Ask,
    CannotAskError,
    PreparedRequest,
    Protocol,
    bearer,
    join_versioned,
    post_json,
)
from probes.streams.message import Message

HOST_FAMILY = (".replicate.com", ".replicate.net")
"""Streams come from streaming.api.replicate.com and hosts of replicate.net (2026)."""
FAILED_REASONS = frozenset({"error", "canceled"})


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    inputs: JsonObject = {"prompt": ask.prompt, "max_tokens": ask.max_output_tokens}
    if ask.system:
        inputs["system_prompt"] = ask.system
    if ask.temperature is not None and endpoint.capabilities.temperature:
        inputs["temperature"] = ask.temperature
    if endpoint.reasoning_effort:
        inputs["reasoning_effort"] = endpoint.reasoning_effort
    url = join_versioned(endpoint.base_url, "v1", f"/models/{quote(endpoint.model)}/predictions")
    payload: JsonObject = {"input": inputs, "stream": ask.stream}
    return post_json(endpoint, ask, url, payload, key_headers=bearer(endpoint))


def follow(endpoint: Endpoint, request: PreparedRequest, created: JsonObject) -> PreparedRequest | None:
    """The stream of the prediction that was made; the key goes along to Replicate's own hosts alone."""
    url = text_of(object_of(created.get("urls")).get("stream"))
    if not url:
        return None
    if not _is_own_host(url, endpoint.base_url):
        raise CannotAskError("the prediction names a stream on another host, where the key must not go")
    kept = {name: value for name, value in request.headers.items() if name != "content-type"}
    return PreparedRequest("GET", url, {**kept, "accept": "text/event-stream"}, b"")


def _is_own_host(url: str, base_url: str) -> bool:
    """The base's own origin, or over TLS another host of Replicate's where the base is one."""
    try:
        stream, base = urlsplit(url), urlsplit(base_url)
        origins = [(parts.scheme, parts.hostname, parts.port) for parts in (stream, base)]
    except ValueError:
        return False
    if stream.username is not None or not stream.hostname:
        return False
    is_replicates = (
        stream.scheme == "https" and _is_replicates(stream.hostname) and origins[0][2] in (None, 443)
    )
    return origins[0] == origins[1] or (is_replicates and _is_replicates(base.hostname or ""))


def _is_replicates(host: str) -> bool:
    return f".{host}".endswith(HOST_FAMILY)


def read(message: Message) -> Sequence[Event]:
    match message.event:
        case "output":
            return (Delta(Part.ANSWER, message.data),) if message.data else ()
        case "error":
            return (_read_error(message.data),)
        case "done":
            return (_read_done(message.data),)
    return ()


def _read_done(text: str) -> Event:
    """`{}` after a whole answer, else the reason why it is none."""
    try:
        reason = text_of(object_of(json.loads(text)).get("reason"))
    except ValueError:
        reason = ""
    if reason in FAILED_REASONS:
        return StreamError(f"the prediction ended with {reason}", kind=reason)
    return Finished(reason or "done", is_last=True)


def _read_error(text: str) -> StreamError:
    try:
        document = json.loads(text)
    except ValueError:
        return StreamError(text)
    return StreamError(text_of(object_of(document).get("detail")) or text)


def read_answer(document: JsonObject) -> Sequence[Event]:
    """A finished prediction: its output is a text or the list of its pieces."""
    error = find_error(document)
    if error is not None:
        return (error,)
    output = document.get("output")
    text = text_of(output) or "".join(map(text_of, list_of(output)))
    answer = (Delta(Part.ANSWER, text),) if text else ()
    return (*answer, Finished(text_of(document.get("status")) or None, is_last=True))


REPLICATE = Protocol("replicate", prepare, read, read_answer, follow=follow)
