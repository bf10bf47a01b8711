"""Text Generation Inference's own token events, which some servers send where chat chunks were asked for."""

from __future__ import annotations

from collections.abc import Iterator

from probes.events import Delta, Event, Finished, Part, Usage
from probes.json_access import JsonObject, count_of, object_of, text_of


def read_tgi_token(document: JsonObject) -> Iterator[Event]:
    """`generated_text` in the last event repeats the whole answer and is no delta; special tokens are no text."""
    token = object_of(document.get("token"))
    text = text_of(token.get("text"))
    if text:
        yield Delta(Part.SPECIAL if token.get("special") is True else Part.ANSWER, text)
    yield from _read_details(object_of(document.get("details")))


def read_tgi_answer(document: JsonObject) -> Iterator[Event]:
    text = text_of(document.get("generated_text"))
    if text:
        yield Delta(Part.ANSWER, text)
    yield from _read_details(object_of(document.get("details")))
    yield Finished(is_last=True)


def _read_details(details: JsonObject) -> Iterator[Event]:
    if not details:
        return
    yield Usage(
        input_tokens=count_of(details.get("prompt_tokens")) or count_of(details.get("input_length")),
        output_tokens=count_of(details.get("generated_tokens")),
    )
    reason = text_of(details.get("finish_reason"))
    if reason:
        yield Finished(reason)
