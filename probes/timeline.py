"""Content events with their stamps: the only input of the timing metrics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from probes.transcript import Arrival, Transcript

THINK_SPAN = re.compile(r"<think>.*?(?:</think>\s*|\Z)", re.DOTALL)
THINK_END = re.compile(r"\A.*?</think>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ContentEvent:
    """One message with generated output; characters are code points."""

    at_ns: int
    chars: int
    answer_chars: int
    """Answer text, tool calls and refusals, without what stands between `<think>` tags."""
    generated_tokens: int | None = None
    """The server's own cumulative count in this message."""

    @property
    def is_answer(self) -> bool:
        return self.answer_chars > 0


@dataclass(frozen=True, slots=True)
class Timeline:
    """`ended_ns` is the terminal marker or the body's end, whichever was first; None where the stream broke."""

    sent_ns: int
    events: tuple[ContentEvent, ...]
    ended_ns: int | None = None
    has_think_tags: bool = False

    @property
    def answer_events(self) -> tuple[ContentEvent, ...]:
        return tuple(event for event in self.events if event.is_answer)

    @property
    def chars(self) -> int:
        return sum(event.chars for event in self.events)

    @property
    def reasoning_chars(self) -> int:
        """Disclosed reasoning, by its own field or between tags."""
        return self.chars - sum(event.answer_chars for event in self.events)


def build_timeline(transcript: Transcript, *, sent_ns: int, ended_ns: int | None = None) -> Timeline:
    arrivals = transcript.arrivals
    thought = _count_thought_chars(arrivals)
    events = tuple(
        ContentEvent(
            at_ns=arrival.at_ns,
            chars=arrival.chars,
            answer_chars=len(arrival.answer) - thinking + len(arrival.other),
            generated_tokens=arrival.generated_tokens,
        )
        for arrival, thinking in zip(arrivals, thought, strict=True)
    )
    return Timeline(sent_ns, events, ended_ns, has_think_tags=any(thought))


def _count_thought_chars(arrivals: Sequence[Arrival]) -> list[int]:
    """Per arrival, the characters of its answer field that lie between think tags, the tags included.

    Judged on the joined text, so that tags cut over chunks are found; the blanks after a closing tag belong to it.
    """
    answers = [arrival.answer for arrival in arrivals]
    ends = list(accumulate(map(len, answers)))
    spans = find_thought_spans("".join(answers))
    if not spans:
        return [0] * len(arrivals)
    starts = [0, *ends[:-1]]
    return [
        sum(max(0, min(end, span_end) - max(start, span_start)) for span_start, span_end in spans)
        for start, end in zip(starts, ends, strict=True)
    ]


def find_thought_spans(text: str) -> list[tuple[int, int]]:
    """Spans of reasoning inside an answer; a lone closing tag ends one that the prompt's template had opened."""
    if "think>" not in text:
        return []
    opening, closing = text.find("<think>"), text.find("</think>")
    start = 0
    spans: list[tuple[int, int]] = []
    if closing != -1 and (opening == -1 or closing < opening):
        found = THINK_END.match(text)
        if found:
            spans.append(found.span())
            start = found.end()
    spans.extend(found.span() for found in THINK_SPAN.finditer(text, start))
    return spans
