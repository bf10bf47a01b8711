"""watsonx.ai: text generation events with cumulative counts, or chat events in OpenAI's form.

The project goes along as the base URL's `project_id` query and is moved into the body, where the API wants it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import parse_qsl

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, Part, Served, Usage
from probes.json_access import JsonObject, count_of, list_of, object_of, text_of
from probes.protocols.errors import find_error
from probes.protocols.openai_chat import read_chunk
from probes.protocols.protocol import Ask, PreparedRequest, Protocol, bearer, parse_object, post_json
from probes.streams.message import Message

API_VERSION = "2024-10-08"
UNFINISHED = frozenset({"", "not_finished"})


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    base, _, query = endpoint.base_url.partition("?")
    options = dict(parse_qsl(query))
    messages = [{"role": "system", "content": ask.system}] if ask.system else []
    payload: JsonObject = {
        "model_id": endpoint.model,
        "messages": [*messages, {"role": "user", "content": ask.prompt}],
        "max_tokens": ask.max_output_tokens,
    }
    if "project_id" in options:
        payload["project_id"] = options["project_id"]
    if ask.temperature is not None and endpoint.capabilities.temperature:
        payload["temperature"] = ask.temperature
    if endpoint.reasoning_effort:
        payload["reasoning_effort"] = endpoint.reasoning_effort
    path = "/ml/v1/text/chat_stream" if ask.stream else "/ml/v1/text/chat"
    url = f"{base.rstrip('/').removesuffix('/ml/v1')}{path}?version={options.get('version', API_VERSION)}"
    return post_json(endpoint, ask, url, payload, key_headers=bearer(endpoint))


def read(message: Message) -> Sequence[Event]:
    if message.data.strip() == "[DONE]":
        return (Finished(is_last=True),)
    document = parse_object(message)
    return _read_document(document, "delta", message.event) if document is not None else ()


def _read_document(document: JsonObject, holder: str, event: str | None = None) -> Sequence[Event]:
    error = find_error(document, event)
    if error is not None:
        return (error,)
    if "choices" in document:
        return tuple(read_chunk(document, holder))
    return tuple(_read_results(document))


def _read_results(document: JsonObject) -> Iterator[Event]:
    if text_of(document.get("model_id")):
        yield Served(text_of(document["model_id"]))
    for result in map(object_of, list_of(document.get("results"))[:1]):
        if text_of(result.get("generated_text")):
            yield Delta(Part.ANSWER, text_of(result["generated_text"]))
        yield Usage(
            input_tokens=count_of(result.get("input_token_count")),
            output_tokens=count_of(result.get("generated_token_count")),
        )
        reason = text_of(result.get("stop_reason")).lower()
        if reason not in UNFINISHED:
            yield Finished(reason)


def read_answer(document: JsonObject) -> Sequence[Event]:
    return (*_read_document(document, "message"), Finished(is_last=True))


WATSONX = Protocol("watsonx", prepare, read, read_answer)
