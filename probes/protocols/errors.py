"""Error objects as providers send them, inside a stream, as a whole body or as an HTTP error's body."""

from __future__ import annotations

from collections.abc import Iterator

from probes.events import StreamError
from probes.json_access import JsonObject, list_of, object_of, text_of


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
    if event == "error" or document.get("type") == "error" or document.get("object") == "error":
        return find_error_body(document)
    return None


def find_error_body(document: JsonObject) -> StreamError:
    """For a body known to be an error (its status or frame says so), whatever shape it has."""
    error = document.get("error")
    if (isinstance(error, dict | str) and error) or list_of(document.get("errors")):
        found = find_error(document)
        if found is not None:
            return found
    kind = _word(document.get("error_type")) or _word(document.get("__type")) or _word(document.get("type"))
    message = next(_messages(document), "")
    return StreamError(message, code=_word(document.get("code")), kind=None if kind == "error" else kind)


def _messages(document: JsonObject) -> Iterator[str]:
    for name in ("message", "Message", "detail", "error_description", "title", "error"):
        value = document.get(name)
        if isinstance(value, str) and value:
            yield value
        for item in list_of(value):
            yield text_of(object_of(item).get("msg")) or str(item)


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
