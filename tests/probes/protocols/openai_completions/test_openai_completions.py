"""OpenAI's legacy completions."""

from __future__ import annotations

from tests.probes.exchanges import DONE, event, read_body
from tests.probes.protocols.asking import ask, prepare_request


def test_openai_completions_asks_with_one_prompt() -> None:
    request, body = prepare_request(
        "openai-completions", "https://api.test/v1", question=ask(system="Be brief.")
    )

    assert request.url == "https://api.test/v1/completions"
    assert body["prompt"] == "Be brief.\n\nTell me of tides."
    assert (body["max_tokens"], body["stream"]) == (64, True)


def test_openai_completions_reads_text_choices() -> None:
    body = (
        event({"choices": [{"index": 0, "text": "The ", "finish_reason": None}], "usage": None})
        + event({"choices": [{"index": 0, "text": "moon", "finish_reason": "length"}]})
        + event({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})
        + DONE
    )

    said = read_body("openai-completions", body)

    assert (said.answer, said.content_deltas, said.finish_reason) == ("The moon", 2, "length")
    assert said.usage is not None
    assert said.usage.output_tokens == 2


def test_openai_completions_reads_writers_bare_values() -> None:
    said = read_body(
        "openai-completions", 'data: {"value":"The "}\n\ndata: {"value":""}\n\ndata: {"value":"moon"}\n\n'
    )

    assert (said.answer, said.events, said.content_deltas) == ("The moon", 3, 2)


def test_openai_completions_reads_a_whole_answer() -> None:
    said = read_body("openai-completions", '{"choices":[{"text":"All","index":0,"finish_reason":"stop"}]}')

    assert (said.answer, said.finish_reason, said.is_whole_answer) == ("All", "stop", True)
