"""Replicate: a prediction is created first and answers with the address of its stream, plain text in SSE.

`prepare` creates the prediction; `follow` turns its answer into the request for the stream, which is the measured one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote

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


def follow(endpoint: Endpoint, created: JsonObject) -> PreparedRequest:
    """Raises CannotAskError when the prediction names no stream; the model then cannot stream."""
    url = text_of(object_of(created.get("urls")).get("stream"))
    if not url.startswith("https://"):
        raise CannotAskError("the prediction names no stream address: this model cannot stream")
    headers = {"accept": "text/event-stream", "accept-encoding": "identity", **bearer(endpoint)}
    return PreparedRequest("GET", url, headers, b"")


def read(message: Message) -> Sequence[Event]:
    match message.event:
        case "output":
            return (Delta(Part.ANSWER, message.data),) if message.data else ()
        case "error":
            return (_read_error(message.data),)
        case "done":
            return (Finished("done", is_last=True),)
    return ()


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


REPLICATE = Protocol("replicate", prepare, read, read_answer)
