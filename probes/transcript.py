"""Everything one answer said, message by message, before it is judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from probes.events import (
    Delta,
    Event,
    Finished,
    HiddenReasoning,
    Part,
    Served,
    StreamError,
    Timing,
    Usage,
)

MAX_FIGURE = 1e18
MAX_FIGURES = 32
MAX_NAME_CHARS = 64


@dataclass(slots=True)
class Arrival:
    """One message that carried generated output, stamped with the read that completed it."""

    at_ns: int
    answer: str = ""
    reasoning: str = ""
    other: str = ""
    """Tool calls and refusals: output, but no answer text."""
    generated_tokens: int | None = None
    """The server's own cumulative count told in this very message."""

    @property
    def chars(self) -> int:
        """0 for a message that held nothing but a special token."""
        return len(self.answer) + len(self.reasoning) + len(self.other)


@dataclass(slots=True)
class Transcript:
    """Counters are of messages holding a non-empty piece; event numbers are 0-based and leave `[DONE]` out."""

    arrivals: list[Arrival] = field(default_factory=list)
    events: int = 0
    content_deltas: int = 0
    reasoning_deltas: int = 0
    tool_call_deltas: int = 0
    first_output_event: int | None = None
    first_content_event: int | None = None
    usage: Usage | None = None
    finish_reason: str | None = None
    finished_ns: int | None = None
    is_last_seen: bool = False
    is_filtered: bool = False
    error: StreamError | None = None
    error_after_content: bool = False
    broken: str | None = None
    """Why a message could not be read; the stream may hide tokens there."""
    bad_body: str | None = None
    """Why the body is no stream of this protocol at all (HTML, text, broken JSON)."""
    is_whole_answer: bool = False
    has_hidden_reasoning: bool = False
    served_model: str | None = None
    served_provider: str | None = None
    server_timing: dict[str, object] = field(default_factory=dict)

    @property
    def answer(self) -> str:
        return "".join(arrival.answer for arrival in self.arrivals)

    @property
    def reasoning(self) -> str:
        return "".join(arrival.reasoning for arrival in self.arrivals)

    @property
    def other(self) -> str:
        return "".join(arrival.other for arrival in self.arrivals)

    def add(self, events: Iterable[Event], at_ns: int) -> None:
        """Take in what one message meant."""
        found: dict[Part, str] = {}
        counted: set[Part] = set()
        usage: Usage | None = None
        for event in events:
            if isinstance(event, Delta):
                if event.text:
                    found[event.part] = found.get(event.part, "") + event.text
                if not event.is_opening:
                    counted.add(event.part)
            elif isinstance(event, Usage):
                usage = event
            else:
                self._note(event, at_ns)
        if usage is not None:
            self.usage = merge_usage(self.usage, usage)
        if counted:
            self._count(counted, is_output=bool(found))
        if found:
            self.arrivals.append(_arrival(found, at_ns, usage))

    def _count(self, counted: set[Part], *, is_output: bool) -> None:
        number = self.events - 1
        if is_output and self.first_output_event is None:
            self.first_output_event = number
        if Part.ANSWER in counted:
            self.content_deltas += 1
            if self.first_content_event is None:
                self.first_content_event = number
        self.reasoning_deltas += Part.REASONING in counted
        self.tool_call_deltas += Part.TOOL in counted

    def _note(self, event: Event, at_ns: int) -> None:
        match event:
            case Finished():
                self.finish_reason = event.reason or self.finish_reason
                self.finished_ns = at_ns if self.finished_ns is None else self.finished_ns
                self.is_last_seen = self.is_last_seen or event.is_last
                self.is_filtered = self.is_filtered or event.is_filtered
            case StreamError() if self.error is None:
                self.error = event
                self.error_after_content = bool(self.arrivals)
            case Served():
                self.served_model = event.model or self.served_model
                self.served_provider = event.provider or self.served_provider
            case Timing():
                self.server_timing[event.source] = _keep_figures(event)
            case HiddenReasoning():
                is_hidden = not (event.unless_shown and self.reasoning_deltas)
                self.has_hidden_reasoning = self.has_hidden_reasoning or is_hidden
            case _:
                pass


def _keep_figures(timing: Timing) -> dict[str, object]:
    """Plain finite figures only: llama.cpp prints infinity for one-token answers, and a provider may send anything."""
    figures: dict[str, object] = {}
    for name, value in timing.values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or len(figures) == MAX_FIGURES:
            continue
        if -MAX_FIGURE < value < MAX_FIGURE:
            figures[name[:MAX_NAME_CHARS]] = value
    return figures


def _arrival(found: dict[Part, str], at_ns: int, usage: Usage | None) -> Arrival:
    return Arrival(
        at_ns,
        answer=found.get(Part.ANSWER, ""),
        reasoning=found.get(Part.REASONING, ""),
        other=found.get(Part.TOOL, "") + found.get(Part.REFUSAL, ""),
        generated_tokens=usage.output_tokens if usage and not usage.is_fallback else None,
    )


def merge_usage(old: Usage | None, new: Usage) -> Usage:
    """Usage is cumulative and may come in parts: the last count told wins, field by field."""
    if old is None or (old.is_fallback and not new.is_fallback):
        return new
    if new.is_fallback:
        return old
    return Usage(
        input_tokens=new.input_tokens if new.input_tokens else old.input_tokens or new.input_tokens,
        cached_input_tokens=_last(old.cached_input_tokens, new.cached_input_tokens),
        output_tokens=_last(old.output_tokens, new.output_tokens),
        reasoning_tokens=_last(old.reasoning_tokens, new.reasoning_tokens),
        input_excludes_cache=old.input_excludes_cache or new.input_excludes_cache,
    )


def _last(old: int | None, new: int | None) -> int | None:
    return old if new is None else new
