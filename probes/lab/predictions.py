"""Replicate's way to a stream: a prediction is created, and its answer names the address of the stream.

The address holds all that the stream needs, so that the lab keeps nothing between the two requests: what was asked and
when the first request came, which is what the answer's times are counted from.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator

from probes.lab.grammar import Behaviour
from probes.lab.http import BadRequest, Request
from probes.lab.script import Asked, Message, Script

STREAMS = "/v1/streams/"
MODELS, PREDICTIONS = "/v1/models/", "/predictions"


class PredictionScript(Script):
    """The same answer as events of plain text; usage is never told."""

    def content(self, kind: str, tokens: int) -> str:
        start = self._sent_tokens - tokens
        text = "".join(f" {self._word(start + offset)}" for offset in range(tokens))
        return f"event: output\nid: {start}\ndata: {text}"

    def _opening(self) -> Iterator[Message]:
        yield from ()

    def _closing(self) -> Iterator[Message]:
        if self._behaviour.sends_done and self._behaviour.sends_finish:
            yield Message(0, "done", "event: done\ndata: {}")

    def _error(self) -> str:
        return 'event: error\ndata: {"detail": "The lab broke off as asked"}'


def find_model(path: str) -> str | None:
    """The model whose prediction this path creates; None for any other path."""
    if not (path.startswith(MODELS) and path.endswith(PREDICTIONS)):
        return None
    return path.removeprefix(MODELS).removesuffix(PREDICTIONS)


def created_prediction(
    request: Request, asked: Asked, since_ns: int, behaviour: Behaviour
) -> dict[str, object]:
    """What creating answers; the model `whole` names no stream, as those do that cannot stream."""
    kept = {"model": asked.model, "id": asked.request_id, "limit": asked.output_limit, "since": since_ns}
    mark = base64.urlsafe_b64encode(json.dumps(kept).encode()).decode()
    urls = {"get": f"http://{request.headers.get('host')}/v1/predictions/{asked.request_id}"}
    if behaviour.shape != "whole":
        urls["stream"] = f"http://{request.headers.get('host')}{STREAMS}{mark}"
    return {"id": asked.request_id, "model": asked.model, "status": "starting", "output": None, "urls": urls}


def read_mark(path: str) -> tuple[Asked, int]:
    """What was asked, and when. Raises BadRequest."""
    try:
        kept = json.loads(base64.urlsafe_b64decode(path.removeprefix(STREAMS)))
        asked = Asked(
            kept["model"], kept["id"], input_tokens=1, output_limit=kept["limit"], wants_usage=False
        )
        return asked, int(kept["since"])
    except (binascii.Error, ValueError, KeyError, TypeError):
        raise BadRequest("The lab made no such stream.") from None
