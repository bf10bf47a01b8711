"""Gemini's generateContent, on AI Studio and Vertex: each message is a whole partial answer, usage cumulative in each.

Thoughts are counted apart from the candidates and are added here. Without `alt=sse` the stream is one JSON array.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, Part, Served, Usage
from probes.json_access import JsonObject, count_of, list_of, object_of, text_of
from probes.protocols.errors import find_error
from probes.protocols.protocol import (
    Ask,
    CannotAskError,
    PreparedRequest,
    Protocol,
    bearer,
    join_versioned,
    parse_object,
    post_json,
)
from probes.streams.message import Message

FILTERED_REASONS = frozenset(
    {"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY", "LANGUAGE"}
)

BUDGETS_OF_EFFORTS = {"none": 0, "minimal": 1_024, "low": 1_024, "medium": 8_192, "high": 24_576}


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    config: JsonObject = {"maxOutputTokens": ask.max_output_tokens}
    if ask.temperature is not None and endpoint.capabilities.temperature:
        config["temperature"] = ask.temperature
    if endpoint.reasoning_effort:
        config["thinkingConfig"] = _thinking_config(endpoint.model, endpoint.reasoning_effort)
    payload: JsonObject = {
        "contents": [{"role": "user", "parts": [{"text": ask.prompt}]}],
        "generationConfig": config,
    }
    if ask.system:
        payload["systemInstruction"] = {"parts": [{"text": ask.system}]}
    verb = "streamGenerateContent" if ask.stream else "generateContent"
    model = endpoint.model.removeprefix("models/")
    url = join_versioned(endpoint.base_url, "v1beta", f"/models/{quote(model, safe='')}:{verb}")
    if ask.stream:
        url += ("&" if "?" in url else "?") + "alt=sse"
    return post_json(endpoint, ask, url, payload, key_headers=google_key_headers(endpoint))


def _thinking_config(model: str, effort: str) -> JsonObject:
    """Levels since Gemini 3; for 2.5 the budget that Google's own OpenAI-compatible API takes an effort for."""
    if "gemini-2.5" not in model:
        return {"thinkingLevel": effort}
    try:
        return {"thinkingBudget": BUDGETS_OF_EFFORTS[effort]}
    except KeyError:
        raise CannotAskError(
            f"{model} takes a budget, and none is known for the effort {effort!r}: "
            f"choose one of {', '.join(BUDGETS_OF_EFFORTS)}"
        ) from None


def google_key_headers(endpoint: Endpoint) -> dict[str, str]:
    """Vertex takes an access token, AI Studio a key in its own header; never the `key` query."""
    if "aiplatform.googleapis.com" in endpoint.base_url:
        return bearer(endpoint)
    return {"x-goog-api-key": endpoint.api_key} if endpoint.api_key else {}


def read(message: Message) -> Sequence[Event]:
    if message.data.strip() == "[DONE]":
        return (Finished(is_last=True),)
    document = parse_object(message)
    return read_document(document, message.event) if document is not None else ()


def read_document(document: JsonObject, event: str | None = None) -> Sequence[Event]:
    error = find_error(document, event)
    return (error,) if error else tuple(_read_partial(document))


def _read_partial(document: JsonObject) -> Iterator[Event]:
    if text_of(document.get("modelVersion")):
        yield Served(text_of(document["modelVersion"]))
    reason = ""
    for candidate in map(object_of, list_of(document.get("candidates"))):
        if not count_of(candidate.get("index")):
            for part in list_of(object_of(candidate.get("content")).get("parts")):
                yield from _read_part(object_of(part))
            reason = reason or _reason_of(candidate.get("finishReason"))
    if reason:
        yield Finished(reason, is_filtered=reason in FILTERED_REASONS)
    if _reason_of(object_of(document.get("promptFeedback")).get("blockReason")):
        yield Finished(_reason_of(object_of(document["promptFeedback"])["blockReason"]), is_filtered=True)
    usage = object_of(document.get("usageMetadata"))
    if usage:
        yield _read_usage(usage, is_final=bool(reason))


def _reason_of(value: object) -> str:
    """Some clients record the enumeration's number instead of its name."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value else ""
    return text_of(value).removeprefix("FINISH_REASON_UNSPECIFIED")


def _read_part(part: JsonObject) -> Iterator[Event]:
    if text_of(part.get("text")):
        yield Delta(Part.REASONING if part.get("thought") is True else Part.ANSWER, text_of(part["text"]))
    call = object_of(part.get("functionCall"))
    if text_of(call.get("name")):
        yield Delta(Part.TOOL, text_of(call["name"]) + json.dumps(call.get("args", {}), ensure_ascii=False))


def _read_usage(usage: JsonObject, *, is_final: bool) -> Usage:
    """While no candidate count is told, the output is unknown, except that a final message may hold thoughts only."""
    candidates, thoughts = (
        count_of(usage.get("candidatesTokenCount")),
        count_of(usage.get("thoughtsTokenCount")),
    )
    output = (
        None if candidates is None and not (is_final and thoughts) else (candidates or 0) + (thoughts or 0)
    )
    return Usage(
        input_tokens=count_of(usage.get("promptTokenCount")),
        cached_input_tokens=count_of(usage.get("cachedContentTokenCount")),
        output_tokens=output,
        reasoning_tokens=thoughts,
    )


def read_answer(document: JsonObject) -> Sequence[Event]:
    return (*read_document(document), Finished(is_last=True))


GEMINI_GENERATE_CONTENT = Protocol("gemini-generate-content", prepare, read, read_answer)
