"""OpenAI's Responses API: typed events, of which only the deltas are output; `…done` events repeat them.

One body may hold several responses after another (server-side tool loops); the last usage told is the answer's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, HiddenReasoning, Part, Served, StreamError
from probes.json_access import JsonObject, list_of, object_of, text_of
from probes.protocols.errors import find_error, find_error_body
from probes.protocols.openai_chat import AZURE_API_VERSION, is_azure, key_headers
from probes.protocols.openai_usage import parse_usage
from probes.protocols.protocol import Ask, PreparedRequest, Protocol, join_url, parse_object, post_json
from probes.streams.message import Message

DELTA_PARTS = {
    "response.output_text.delta": Part.ANSWER,
    "response.refusal.delta": Part.REFUSAL,
    "response.reasoning_text.delta": Part.REASONING,
    "response.reasoning.delta": Part.REASONING,
    "response.reasoning_summary_text.delta": Part.REASONING,
    "response.reasoning_summary.delta": Part.REASONING,
}
TOOL_DELTA = re.compile(r"response\.\w+_call_\w+\.delta")
"""Arguments, input, code, commands, patches: each kind of tool has a name of its own."""
FAILURES = frozenset({"response.failed", "response.cancelled"})
ENDINGS = frozenset(
    {"response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done"}
)
TOOL_ITEMS = frozenset({"function_call", "custom_tool_call", "mcp_call"})


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    payload: JsonObject = {
        "model": endpoint.model,
        "input": ask.prompt,
        "max_output_tokens": ask.max_output_tokens,
        "stream": ask.stream,
        "store": False,
    }
    if endpoint.reasoning_effort:
        payload["reasoning"] = {"effort": endpoint.reasoning_effort}
    if ask.system:
        payload["instructions"] = ask.system
    if ask.temperature is not None and endpoint.capabilities.temperature:
        payload["temperature"] = ask.temperature
    url = join_url(endpoint.base_url, "/responses")
    if is_azure(endpoint) and "/v1/" not in url and "api-version=" not in url:
        url += ("&" if "?" in url else "?") + f"api-version={AZURE_API_VERSION}"
    return post_json(endpoint, ask, url, payload, key_headers=key_headers(endpoint))


def read(message: Message) -> Sequence[Event]:
    if message.data.strip() == "[DONE]":
        return (Finished(is_last=True),)
    document = parse_object(message)
    if document is None:
        return ()
    kind = text_of(document.get("type")) or message.event or ""
    part = DELTA_PARTS.get(kind) or (Part.TOOL if TOOL_DELTA.fullmatch(kind) else None)
    if part is not None:
        text = _delta_text(document.get("delta"))
        return (Delta(part, text),) if text else ()
    if kind in ENDINGS:
        return tuple(_read_ending(kind, object_of(document.get("response"))))
    if kind == "response.created":
        model = text_of(object_of(document.get("response")).get("model"))
        return (Served(model),) if model else ()
    if kind.startswith("response.output_item."):
        return tuple(_read_item_frame(kind, object_of(document.get("item"))))
    error = find_error(document, kind)
    return (error,) if error else ()


def _delta_text(delta: object) -> str:
    return text_of(delta) or text_of(object_of(delta).get("text"))


def _read_item_frame(kind: str, item: JsonObject) -> Iterator[Event]:
    if kind.endswith(".added") and text_of(item.get("type")) in TOOL_ITEMS and text_of(item.get("name")):
        yield Delta(Part.TOOL, text_of(item["name"]), is_opening=True)
    is_silent = not list_of(item.get("summary")) and not list_of(item.get("content"))
    if (
        kind.endswith(".done")
        and item.get("type") == "reasoning"
        and item.get("encrypted_content")
        and is_silent
    ):
        yield HiddenReasoning()


def _read_ending(kind: str, response: JsonObject) -> Iterator[Event]:
    model = text_of(response.get("model"))
    if model:
        yield Served(model)
    usage = object_of(response.get("usage"))
    if usage:
        yield parse_usage(usage)
    error = find_error(response)
    if kind in FAILURES and error is None:
        error = StreamError(f"the response was told as {kind.partition('.')[2]}")
    if error is not None:
        yield error
        return
    yield _read_status(response)


def _read_status(response: JsonObject) -> Finished:
    reason = text_of(object_of(response.get("incomplete_details")).get("reason"))
    status = text_of(response.get("status")) or None
    return Finished(status, is_last=True, is_filtered=reason == "content_filter")


def read_answer(document: JsonObject) -> Sequence[Event]:
    if "output" not in document and "choices" not in document:
        return (find_error(document) or find_error_body(document),)
    events: list[Event] = [
        event for item in list_of(document.get("output")) for event in _read_item(object_of(item))
    ]
    return (*events, *_read_ending("response.completed", document))


def _read_item(item: JsonObject) -> Iterator[Event]:
    is_reasoning = item.get("type") == "reasoning"
    for part in map(object_of, [*list_of(item.get("summary")), *list_of(item.get("content"))]):
        text = text_of(part.get("text"))
        if text:
            yield Delta(Part.REASONING if is_reasoning else Part.ANSWER, text)
        if text_of(part.get("refusal")):
            yield Delta(Part.REFUSAL, text_of(part["refusal"]))
    called = text_of(item.get("name")) + text_of(item.get("arguments")) + text_of(item.get("input"))
    if called and not is_reasoning:
        yield Delta(Part.TOOL, called)


OPENAI_RESPONSES = Protocol("openai-responses", prepare, read, read_answer)
