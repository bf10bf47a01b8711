"""A request in, the planned writes of its answer out."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from probes.lab.grammar import PRESETS, Behaviour, UnknownModel, parse_model
from probes.lab.http import BadRequest, Request
from probes.lab.predictions import STREAMS, PredictionScript, created_prediction, find_model, read_mark
from probes.lab.script import BREAKS, MS, Asked, Script
from probes.lab.wire import Framing, Send, frame_messages

HTML_PAGE = "<!doctype html><title>Sign in</title><p>Please sign in to go on."
ERROR_DELAY_NS = 20 * MS
SLOW_HEADER_PIECES = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """The writes of one answer and how the connection goes on after them: keep, close, reset or hang."""

    sends: Iterator[Send]
    ending: str
    model: str = ""
    status: int = 200


def plan_answer(
    request: Request, request_id: str, base_ns: int, active_streams: Callable[[str], int]
) -> Answer:
    """Every request gets an answer; one that the lab cannot serve gets an error in OpenAI's form."""
    path = request.path.partition("?")[0]
    if request.method == "GET" and path == "/v1/models":
        return _json_answer(200, _model_list(), base_ns)
    predicted = find_model(path)
    if request.method == "GET" and path.startswith(STREAMS):
        return _plan_prediction_stream(path, base_ns, active_streams)
    if request.method == "POST" and predicted is not None:
        return _create_prediction(request, predicted, base_ns)
    if request.method != "POST" or not path.endswith("/chat/completions"):
        return _error_answer(
            404, f"The lab does not serve {request.method} {path[:80]}.", "not_found", base_ns
        )
    try:
        fields = request.fields()
        behaviour = parse_model(str(fields.get("model")))
    except BadRequest as error:
        return _error_answer(400, str(error), "invalid_request_error", base_ns)
    except UnknownModel as error:
        return _error_answer(404, str(error), "model_not_found", base_ns)
    asked = _read_asked(fields, request_id)
    return _plan_completion(_draw_failure(behaviour, request_id), fields, asked, base_ns, active_streams)


def _read_asked(fields: dict[str, object], request_id: str) -> Asked:
    limit = fields.get("max_completion_tokens", fields.get("max_tokens"))
    options = fields.get("stream_options")
    prompt = json.dumps(fields.get("messages", ""))
    return Asked(
        model=str(fields.get("model")),
        request_id=request_id,
        input_tokens=max(1, len(prompt) // 5),
        output_limit=limit if isinstance(limit, int) and limit > 0 else None,
        wants_usage=isinstance(options, dict) and options.get("include_usage") is True,
    )


def _draw_failure(behaviour: Behaviour, request_id: str) -> Behaviour:
    """Failures by percentage, decided by the request's id so that a repeat of it repeats."""
    draw = random.Random(request_id + "failure").uniform(0, 100)  # noqa: S311 - a lot, not a secret
    if draw < behaviour.fail_percent:
        return replace(behaviour, http_status=503)
    if draw < behaviour.fail_percent + behaviour.limited_percent:
        return replace(behaviour, http_status=429)
    if draw < behaviour.fail_percent + behaviour.limited_percent + behaviour.cut_percent:
        return replace(behaviour, trouble="drop")
    return behaviour


def _plan_completion(
    behaviour: Behaviour,
    fields: dict[str, object],
    asked: Asked,
    base_ns: int,
    active_streams: Callable[[str], int],
) -> Answer:
    if refused := sorted(behaviour.refuses & fields.keys()):
        return _error_answer(400, _refusal(refused[0]), "unsupported_parameter", base_ns, model=asked.model)
    if behaviour.http_status != 200:
        return _status_answer(behaviour, asked.model, base_ns)
    script = Script(behaviour, asked, base_ns, lambda: active_streams(asked.model))
    if behaviour.trouble == "hang":
        return Answer(iter(()), "hang", asked.model)
    if behaviour.shape == "json-error":
        body = _error_body("The lab is out of luck", "server_error")
        return _json_answer(200, body, base_ns, model=asked.model)
    if behaviour.shape == "html":
        return _body_answer(200, "text/html", HTML_PAGE, base_ns + ERROR_DELAY_NS, asked.model)
    if behaviour.shape == "whole" or fields.get("stream") is not True:
        return _body_answer(
            200, "application/json", script.whole_answer(), script.whole_answer_ns, asked.model
        )
    return _stream_answer(script, behaviour, asked.model, base_ns)


def _create_prediction(request: Request, model: str, base_ns: int) -> Answer:
    """Failures that come with a status come here, as at Replicate; what goes wrong later is the stream's."""
    try:
        inputs = request.fields().get("input")
        behaviour = parse_model(model)
    except BadRequest as error:
        return _error_answer(400, str(error), "invalid_request_error", base_ns)
    except UnknownModel as error:
        return _error_answer(404, str(error), "model_not_found", base_ns)
    if behaviour.http_status != 200:
        return _status_answer(behaviour, model, base_ns)
    limit = inputs.get("max_tokens") if isinstance(inputs, dict) else None
    asked = Asked(model, request.request_id, 1, limit if isinstance(limit, int) else None, wants_usage=False)
    return _json_answer(201, created_prediction(request, asked, base_ns, behaviour), base_ns)


def _plan_prediction_stream(path: str, base_ns: int, active_streams: Callable[[str], int]) -> Answer:
    try:
        asked, since_ns = read_mark(path)
        behaviour = parse_model(asked.model)
    except (BadRequest, UnknownModel) as error:
        return _error_answer(404, str(error), "not_found", base_ns)
    script = PredictionScript(behaviour, asked, since_ns, lambda: active_streams(asked.model))
    return _stream_answer(script, behaviour, asked.model, base_ns)


def _stream_answer(script: Script, behaviour: Behaviour, model: str, base_ns: int) -> Answer:
    sends = _stream(script, Framing(behaviour), behaviour, base_ns)
    return Answer(sends, _stream_ending(behaviour), model)


def _refusal(field: str) -> str:
    if field == "max_tokens":
        return "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    return f"Unsupported parameter: '{field}' is not supported with this model."


def _status_answer(behaviour: Behaviour, model: str, base_ns: int) -> Answer:
    status = behaviour.http_status
    retry_after_s = behaviour.retry_after_s
    if retry_after_s is None and status == 429:
        retry_after_s = 7
    extra = {} if retry_after_s is None else {"retry-after": str(retry_after_s)}
    kind = "rate_limit_exceeded" if status == 429 else "server_error"
    return _error_answer(
        status, f"The lab answers {status} as asked", kind, base_ns, extra=extra, model=model
    )


def _stream_ending(behaviour: Behaviour) -> str:
    if behaviour.trouble in BREAKS:
        return {"drop": "close", "reset": "reset"}.get(behaviour.trouble, "hang")
    if behaviour.stays_open:
        return "hang"
    return "keep" if behaviour.chunked else "close"


def _stream(script: Script, framing: Framing, behaviour: Behaviour, base_ns: int) -> Iterator[Send]:
    header = framing.header(200, "text/event-stream", {})
    if behaviour.slow_headers:
        yield from _dripped(header, base_ns, script.first_token_ns)
    else:
        yield Send(base_ns, header)
    yield from frame_messages(script.messages(), framing, behaviour, base_ns)
    if behaviour.trouble not in BREAKS and not behaviour.stays_open:
        yield Send(0, framing.end())


def _dripped(header: bytes, start_ns: int, end_ns: int) -> Iterator[Send]:
    size = -(-len(header) // SLOW_HEADER_PIECES)
    for position in range(SLOW_HEADER_PIECES):
        due_ns = start_ns + (end_ns - start_ns) * position // SLOW_HEADER_PIECES
        yield Send(due_ns, header[position * size : (position + 1) * size])


def _error_body(message: str, kind: str) -> dict[str, object]:
    return {"error": {"message": message, "type": kind, "code": kind, "param": None}}


def _error_answer(
    status: int,
    message: str,
    kind: str,
    base_ns: int,
    *,
    extra: dict[str, str] | None = None,
    model: str = "",
) -> Answer:
    return _json_answer(status, _error_body(message, kind), base_ns, extra=extra, model=model)


def _json_answer(
    status: int, body: object, base_ns: int, *, extra: dict[str, str] | None = None, model: str = ""
) -> Answer:
    due_ns = base_ns if status < 300 and not model else base_ns + ERROR_DELAY_NS
    return _body_answer(status, "application/json", json.dumps(body), due_ns, model, extra)


def _body_answer(
    status: int, content_type: str, text: str, due_ns: int, model: str, extra: dict[str, str] | None = None
) -> Answer:
    body = text.encode()
    header = Framing(Behaviour()).header(status, content_type, extra or {}, len(body))
    return Answer(iter((Send(due_ns, header + body, "whole"),)), "keep", model, status)


def _model_list() -> dict[str, object]:
    models = [
        {"id": name, "object": "model", "created": 1_800_000_000, "owned_by": "lab"} for name in PRESETS
    ]
    return {"object": "list", "data": models}
