"""Error objects as providers send them, inside a stream, as a whole body or as an HTTP error's body."""

from __future__ import annotations

from collections.abc import Iterator

from probes.events import StreamError
from probes.json_access import JsonObject, list_of, object_of, text_of

MINIMAX_KINDS = {
    "1002": "rate_limit",
    "1004": "authentication",
    "1008": "insufficient_balance",
    "1039": "rate_limit",
    "2013": "invalid_request",
}
"""What its numbers mean (its error codes page, 2026); others are the server's fault."""


def find_error(document: JsonObject, event: str | None = None) -> StreamError | None:
    """The error a message carries; None where the message is none. `event` is the framing's own name for it."""
    error = document.get("error")
    if isinstance(error, dict) and error:
        return _read_error_object(error, document)
    if isinstance(error, str) and error:
        return StreamError(error, code=_word(document.get("code")), kind=_word(document.get("type")))
    errors = list_of(document.get("errors"))
    if errors:
        first = errors[0]
        return _read_error_object(first, document) if isinstance(first, dict) else StreamError(str(first))
    wrapped = _find_wrapped(document)
    if wrapped is not None:
        return wrapped
    if event == "error" or document.get("type") == "error" or document.get("object") == "error":
        return find_error_body(document)
    return None


def find_bare_error(document: JsonObject) -> StreamError | None:
    """For a message that is no answer of its protocol: a sentence beside a code or status is a gateway's error."""
    says_class = any(_word(document.get(name)) for name in ("code", "status", "error_code", "detail"))
    return find_error_body(document) if says_class and next(_messages(document), "") else None


def _find_wrapped(document: JsonObject) -> StreamError | None:
    """Envelopes of gateways: MiniMax's base_resp, Baidu's error_code, Apigee's fault, Tencent's Response."""
    if "base_resp" in document:
        answer = object_of(document["base_resp"])
        code = _word(answer.get("status_code"))
        if code in (None, "0"):
            return None
        return StreamError(text_of(answer.get("status_msg")), code=code, kind=MINIMAX_KINDS.get(code))
    if "error_msg" in document and _word(document.get("error_code")) not in (None, "0"):
        return StreamError(text_of(document["error_msg"]), code=_word(document["error_code"]))
    if "fault" in document:
        fault = object_of(document["fault"])
        kind = _word(object_of(fault.get("detail")).get("errorcode"))
        return StreamError(text_of(fault.get("faultstring")), kind=kind) if fault else None
    wrapped = object_of(object_of(document.get("Response")).get("Error"))
    if wrapped:
        return StreamError(text_of(wrapped.get("Message")), kind=_word(wrapped.get("Code")))
    return None


def find_error_body(document: JsonObject) -> StreamError:
    """For a body known to be an error (its status or frame says so), whatever shape it has."""
    error = document.get("error")
    has_envelope = (isinstance(error, dict | str) and error) or list_of(document.get("errors"))
    found = find_error(document) if has_envelope else _find_wrapped(document)
    if found is not None:
        return found
    kind = (
        _word(document.get("error_type"))
        or _word(document.get("error_code"))
        or _word(document.get("__type"))
        or _word(document.get("type"))
    )
    message = next(_messages(document), "")
    return StreamError(message, code=_word(document.get("code")), kind=None if kind == "error" else kind)


def _messages(document: JsonObject) -> Iterator[str]:
    for name in (
        "message",
        "Message",
        "msg",
        "detail",
        "error_description",
        "error_message",
        "title",
        "error",
    ):
        value = document.get(name)
        if isinstance(value, str) and value:
            yield value
        for item in list_of(value):
            yield _read_complaint(object_of(item)) or str(item)


def _read_complaint(item: JsonObject) -> str:
    """One line of a validator's list, with the place it complains of, which names the option."""
    place = ".".join(str(step) for step in list_of(item.get("loc")))
    text = text_of(item.get("msg"))
    return f"{place}: {text}" if place and text else text


def _read_error_object(error: JsonObject, document: JsonObject) -> StreamError:
    message = next(_messages(error), "") or str(error)
    code = _word(error.get("code")) or _word(error.get("status_code")) or _word(error.get("http_code"))
    kind = _word(error.get("type")) or _word(error.get("status")) or _word(document.get("code"))
    return StreamError(message, code=code, kind=kind, retry_after=_retry_delay(error))


def _retry_delay(error: JsonObject) -> str | None:
    """Google's RetryInfo ("48s"), the only provider known to put the delay into the body."""
    for detail in list_of(error.get("details")):
        delay = text_of(object_of(detail).get("retryDelay"))
        if delay:
            return delay.removesuffix("s")
    return None


def _word(value: object) -> str | None:
    if isinstance(value, bool) or value is None or value == "":
        return None
    return str(value) if isinstance(value, str | int | float) else None
