"""OpenAI chat completions, and the many servers that speak it with an accent.

Accents read here, each seen in a recording: reasoning under three names and as typed lists (Mistral), text beside the
delta (Together), usage beside the choices, inside one (Moonshot) or under `x_groq`, reasoning counted outside the
completion (xAI), errors in the stream as object or string, the served provider (OpenRouter), TGI's own token events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from probes.endpoint import Endpoint
from probes.events import Delta, Event, Finished, HiddenReasoning, Part, Served, StreamError
from probes.json_access import JsonObject, count_of, list_of, object_of, text_of
from probes.protocols.errors import find_bare_error, find_error
from probes.protocols.openai_usage import read_timing, read_usage
from probes.protocols.protocol import (
    Ask,
    PreparedRequest,
    Protocol,
    bearer,
    join_url,
    parse_object,
    post_json,
)
from probes.protocols.tgi import read_tgi_answer, read_tgi_token
from probes.streams.message import Message

AZURE_API_VERSION = "2024-10-21"
FILTERED_REASONS = frozenset({"content_filter", "safety", "recitation"})


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    return post_json(
        endpoint, ask, _url(endpoint), _payload(endpoint, ask), key_headers=key_headers(endpoint)
    )


def key_headers(endpoint: Endpoint) -> dict[str, str]:
    if endpoint.api_key and is_azure(endpoint):
        return {"api-key": endpoint.api_key}
    return bearer(endpoint)


def is_azure(endpoint: Endpoint) -> bool:
    host = endpoint.base_url.partition("://")[2].partition("/")[0].partition(":")[0].lower()
    return host.endswith((".azure.com", ".azure-api.net"))


def _url(endpoint: Endpoint) -> str:
    base = endpoint.base_url
    if not is_azure(endpoint):
        return join_url(base, "/chat/completions")
    path = "/chat/completions"
    bare = base.partition("?")[0].rstrip("/")
    if bare.endswith("/openai"):
        path = f"/deployments/{quote(endpoint.model, safe='')}{path}"
    url = join_url(base, path)
    needs_version = "api-version=" not in url and not bare.endswith("/v1")
    return url + ("&" if "?" in url else "?") + f"api-version={AZURE_API_VERSION}" if needs_version else url


def _payload(endpoint: Endpoint, ask: Ask) -> JsonObject:
    messages = [{"role": "system", "content": ask.system}] if ask.system else []
    messages.append({"role": "user", "content": ask.prompt})
    payload: JsonObject = {"model": endpoint.model, "messages": messages, "stream": ask.stream}
    payload[endpoint.capabilities.output_limit_field] = ask.max_output_tokens
    payload.update(sampling_and_usage(endpoint, ask))
    if endpoint.reasoning_effort:
        payload["reasoning_effort"] = endpoint.reasoning_effort
    if endpoint.pinned_provider:
        payload["provider"] = {"order": [endpoint.pinned_provider], "allow_fallbacks": False}
    return payload


def sampling_and_usage(endpoint: Endpoint, ask: Ask) -> JsonObject:
    """The options an offering may refuse; `capabilities` remembers which."""
    options: JsonObject = {}
    if ask.temperature is not None and endpoint.capabilities.temperature:
        options["temperature"] = ask.temperature
    if ask.stream and endpoint.capabilities.stream_options:
        wanted = {"include_usage": True}
        if endpoint.capabilities.continuous_usage:
            wanted["continuous_usage_stats"] = True
        options["stream_options"] = wanted
    return options


def read(message: Message) -> Sequence[Event]:
    if message.data.strip() == "[DONE]":
        return (Finished(is_last=True),)
    document = parse_object(message)
    if document is None:
        return ()
    error = find_error(document, message.event)
    if error is None and "x_groq" in document:
        error = find_error(object_of(document["x_groq"]))
    if error is not None:
        return (error,)
    if "choices" not in document and "token" in document:
        return tuple(read_tgi_token(document))
    events = tuple(read_chunk(document, "delta"))
    return events or _read_no_chunk(document)


def _read_no_chunk(document: JsonObject) -> Sequence[Event]:
    error = None if "choices" in document else find_bare_error(document)
    return () if error is None else (error,)


def read_chunk(document: JsonObject, holder: str) -> Iterator[Event]:
    """`holder` is the field of a choice with the text: "delta" in streams, "message" in whole answers."""
    model, provider = text_of(document.get("model")), text_of(document.get("provider"))
    if model or provider:
        yield Served(model or None, provider or None)
    for choice in map(object_of, list_of(document.get("choices"))):
        if not count_of(choice.get("index")):
            yield from _read_choice(choice, holder)
    usage = read_usage(document)
    if usage is not None:
        yield usage
    yield from read_timing(document)


def _read_choice(choice: JsonObject, holder: str) -> Iterator[Event]:
    piece = choice.get(holder)
    if isinstance(piece, dict):
        yield from _read_piece(piece)
    elif text_of(choice.get("text")):
        yield Delta(Part.ANSWER, text_of(choice["text"]))
    reason = text_of(choice.get("finish_reason"))
    if reason == "error" or "error" in choice:
        # OpenRouter and Mistral end so what broke upstream.
        error = find_error(choice)
        if error is not None or reason == "error":
            yield error or StreamError("the answer ended with the finish reason error")
            return
    if reason:
        yield Finished(reason, is_filtered=reason.lower() in FILTERED_REASONS)


def _read_piece(piece: JsonObject) -> Iterator[Event]:
    yield from _read_reasoning(piece)
    content = piece.get("content")
    if isinstance(content, str):
        if content:
            yield Delta(Part.ANSWER, content)
    else:
        yield from _read_content_list(list_of(content))
    if "refusal" in piece and text_of(piece["refusal"]):
        yield Delta(Part.REFUSAL, text_of(piece["refusal"]))
    if "tool_calls" in piece or "function_call" in piece:
        yield from _read_calls(piece)


def _read_calls(piece: JsonObject) -> Iterator[Event]:
    calls = [_called(object_of(call)) for call in list_of(piece.get("tool_calls"))]
    if isinstance(piece.get("function_call"), dict):
        calls.append(object_of(piece["function_call"]))
    for called in calls:
        arguments = text_of(called.get("arguments")) or text_of(called.get("input"))
        yield Delta(Part.TOOL, text_of(called.get("name")) + arguments)


def _called(call: JsonObject) -> JsonObject:
    """What a call names: a function with JSON arguments, or a custom tool with free text."""
    return object_of(call.get("function")) or object_of(call.get("custom"))


def _read_reasoning(piece: JsonObject) -> Iterator[Event]:
    """The same text may stand under two names at once (OpenRouter): the first that has any is taken."""
    for name in ("reasoning_content", "reasoning", "reasoning_text", "thinking"):
        if name in piece and text_of(piece[name]):
            yield Delta(Part.REASONING, text_of(piece[name]))
            return
    for detail in map(object_of, list_of(piece.get("reasoning_details") or piece.get("thinking_blocks"))):
        text = (
            text_of(detail.get("text")) or text_of(detail.get("summary")) or text_of(detail.get("thinking"))
        )
        if text:
            yield Delta(Part.REASONING, text)
        elif detail.get("type") == "reasoning.encrypted":
            yield HiddenReasoning()


def _read_content_list(parts: Sequence[object]) -> Iterator[Event]:
    """Mistral's typed content: text parts, and thinking parts that hold text parts."""
    for part in map(object_of, parts):
        if text_of(part.get("text")):
            yield Delta(Part.ANSWER, text_of(part["text"]))
        thinking = part.get("thinking")
        pieces = (
            [thinking] if isinstance(thinking, str) else [object_of(p).get("text") for p in list_of(thinking)]
        )
        text = "".join(map(text_of, pieces))
        if text:
            yield Delta(Part.REASONING, text)


def read_answer(document: JsonObject) -> Sequence[Event]:
    error = find_error(document)
    if error is not None:
        return (error,)
    if "choices" not in document and "generated_text" in document:
        return tuple(read_tgi_answer(document))
    if "choices" not in document and (bare := find_bare_error(document)):
        return (bare,)
    return (*read_chunk(document, "message"), Finished(is_last=True))


OPENAI_CHAT = Protocol("openai-chat", prepare, read, read_answer)
