"""One answer as timed messages: what is said and when, before HTTP and event framing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from probes.lab.grammar import Behaviour

MS = 1_000_000
SECOND = 1_000_000_000

WORDS = (
    "the", "river", "carries", "small", "stones", "past", "every", "bend", "and", "leaves", "them",
    "where", "water", "turns", "slow", "while", "people", "on", "both", "banks", "watch", "light",
    "move", "over", "sand", "as", "morning", "opens", "into", "day", "again",
)  # fmt: skip
BREAKS = frozenset({"drop", "reset", "mid-hang"})
"""Troubles that leave the body unfinished half-way."""
WIDE_WORDS = ("é", "ü", "ñ", "日", "本", "€", "…", "ß")


class Message(NamedTuple):
    """One thing to send at `due_ns`; `kind` says what it is and `tokens` how many it carries.

    `text` is one event's data, or its lines where it begins with `event: `.
    """

    due_ns: int
    kind: str
    text: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """What the request said that changes the answer."""

    model: str
    request_id: str
    input_tokens: int
    output_limit: int | None
    wants_usage: bool


class Script:
    """The messages of one streamed answer, made one at a time so that shared speed can change as it runs."""

    def __init__(
        self, behaviour: Behaviour, asked: Asked, base_ns: int, active_streams: Callable[[], int]
    ) -> None:
        self._behaviour = behaviour
        self._asked = asked
        self._base_ns = base_ns
        self._active_streams = active_streams
        # Seeded by the request's id: the same request repeats exactly, another one differs.
        self._random = random.Random(asked.request_id)  # noqa: S311 - shapes timing, guards nothing
        self._factor = self._random.lognormvariate(0, behaviour.spread_percent / 100)
        self._sent_tokens = 0
        self.total_tokens = self._count_tokens()
        self._envelope = self._make_envelope()

    def _count_tokens(self) -> int:
        limit = self._asked.output_limit
        wanted = self._behaviour.output_tokens
        if self._behaviour.trouble == "endless":
            return 10_000_000
        if wanted is None:
            return limit if limit is not None else 300
        return wanted if limit is None else min(wanted, limit)

    @property
    def finish_reason(self) -> str:
        wanted = self._behaviour.output_tokens
        return "length" if wanted is not None and wanted > self.total_tokens else "stop"

    @property
    def first_token_ns(self) -> int:
        """When the first content is due."""
        wait_ms = self._behaviour.ttft_ms * self._factor
        if self._behaviour.prefill_tokens_per_s:
            wait_ms += 1000 * self._asked.input_tokens / self._behaviour.prefill_tokens_per_s
        return self._base_ns + int(wait_ms * MS)

    def _make_envelope(self) -> str:
        head = {
            "id": f"chatcmpl-{self._asked.request_id[:24]}",
            "object": "chat.completion.chunk",
            "created": 1_800_000_000,
            "model": self._asked.model,
        }
        return json.dumps(head)[:-1]

    def delta(self, fields: str, finish: str = "null") -> str:
        """One chat completion chunk; `fields` is the inside of its delta as JSON."""
        usage = f', "usage": {self.usage()}' if self._behaviour.usage == "each" else ""
        choice = f'{{"index": 0, "delta": {{{fields}}}, "finish_reason": {finish}}}'
        return f'{self._envelope}, "choices": [{choice}]{usage}}}'

    def usage(self) -> str:
        """The usage object for what was sent so far, as JSON."""
        behaviour = self._behaviour
        output_tokens = self._sent_tokens + (behaviour.hidden_tokens if self._sent_tokens else 0)
        if behaviour.usage == "wrong":
            output_tokens *= 3
        reasoning = min(behaviour.reasoning_tokens, self._sent_tokens) + behaviour.hidden_tokens
        usage: dict[str, object] = {
            "prompt_tokens": self._asked.input_tokens,
            "completion_tokens": output_tokens,
            "total_tokens": self._asked.input_tokens + output_tokens,
            "prompt_tokens_details": {"cached_tokens": behaviour.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": reasoning},
        }
        return json.dumps(usage)

    def messages(self) -> Iterator[Message]:
        """All messages in order; ends early or adds troubles as the behaviour says."""
        yield from self._opening()
        trouble = self._behaviour.trouble
        if trouble == "early-error":
            yield Message(self.first_token_ns, "error", self._error())
        else:
            yield from self._content()
        if trouble not in BREAKS:
            yield from self._closing()

    def _opening(self) -> Iterator[Message]:
        role = self._behaviour.role
        if role == "none":
            return
        due_ns = self.first_token_ns
        if role in {"early", "empty"}:
            due_ns = self._base_ns + (due_ns - self._base_ns) // 10
        fields = '"content": ""' if role == "empty" else '"role": "assistant", "content": ""'
        yield Message(due_ns, role if role == "empty" else "role", self.delta(fields))

    def _content(self) -> Iterator[Message]:
        half = self.total_tokens // 2
        is_disturbed = False
        for due_ns, kind, tokens in self._pace():
            self._sent_tokens += tokens
            yield Message(due_ns, kind, self.content(kind, tokens), tokens)
            if self._sent_tokens >= half and not is_disturbed:
                is_disturbed = True
                if self._behaviour.trouble == "broken-json":
                    yield Message(due_ns, "broken", self.delta('"content": "bro')[:-30])
                if self._behaviour.trouble == "error":
                    yield Message(due_ns, "error", self._error())
                if self._behaviour.trouble in BREAKS | {"error"}:
                    return

    def content(self, kind: str, tokens: int) -> str:
        """The text of one content event, counted as sent already."""
        return self.delta(self._fields(kind, tokens))

    def _pace(self) -> Iterator[tuple[int, str, int]]:
        """When each content event is due, what it is and how many tokens it holds."""
        behaviour = self._behaviour
        due_ns, burst_ns = self.first_token_ns, 0
        left, reasoning, position = self.total_tokens, min(behaviour.reasoning_tokens, self.total_tokens), 0
        has_stalled = not behaviour.stall_ms
        while left:
            kind = "reasoning" if reasoning else "answer"
            tokens = min(behaviour.tokens_per_event, reasoning or left)
            if position:
                due_ns += self._gap_ns(tokens)
            if not has_stalled and left <= self.total_tokens - self.total_tokens // 2:
                has_stalled = True
                due_ns += int(behaviour.stall_ms * MS)
            if position % behaviour.burst_events == 0:
                burst_ns = due_ns
            late_ns = int(self._random.uniform(0, behaviour.jitter_ms) * MS) if behaviour.jitter_ms else 0
            yield (burst_ns if behaviour.burst_events > 1 else due_ns) + late_ns, kind, tokens
            left -= tokens
            reasoning -= tokens if reasoning else 0
            position += 1

    def _gap_ns(self, tokens: int) -> int:
        speed = self._behaviour.tokens_per_s / self._factor
        if self._behaviour.shared_tokens_per_s:
            speed = min(speed, self._behaviour.shared_tokens_per_s / max(1, self._active_streams()))
        return int(tokens * SECOND / speed)

    def _fields(self, kind: str, tokens: int) -> str:
        start = self._sent_tokens - tokens
        text = "".join(f" {self._word(start + offset)}" for offset in range(tokens))
        if kind != "reasoning":
            return f'"content": "{text}"'
        field = self._behaviour.reasoning_field
        if field == "both":
            return f'"reasoning": "{text}", "reasoning_content": "{text}"'
        if field == "tags":
            opening = "<think>" if start == 0 else ""
            closing = (
                "</think>"
                if self._sent_tokens >= min(self._behaviour.reasoning_tokens, self.total_tokens)
                else ""
            )
            return f'"content": "{opening}{text}{closing}"'
        return f'"{field}": "{text}"'

    def _word(self, position: int) -> str:
        words = WIDE_WORDS if self._behaviour.split == "utf8" else WORDS
        return words[position % len(words)]

    def _error(self) -> str:
        return json.dumps(
            {"error": {"message": "The lab broke off as asked", "type": "server_error", "code": 500}}
        )

    def _closing(self) -> Iterator[Message]:
        behaviour = self._behaviour
        due_ns = 0  # at once after the last content event
        is_broken_off = behaviour.trouble in {"error", "early-error"}
        if behaviour.sends_finish and not is_broken_off:
            text = self.delta("", json.dumps(self.finish_reason))
            if behaviour.usage == "finish":
                text = f'{text[:-1]}, "usage": {self.usage()}}}'
            yield Message(due_ns, "finish", text)
        if not is_broken_off and behaviour.usage in {"asked", "wrong"} and self._asked.wants_usage:
            yield Message(due_ns, "usage", f'{self._envelope}, "choices": [], "usage": {self.usage()}}}')
        if behaviour.sends_done:
            yield Message(due_ns, "done", "[DONE]")

    def whole_answer(self) -> str:
        """The answer as one JSON body, for the server that ignores `stream`."""
        self._sent_tokens = self.total_tokens
        text = "".join(f" {self._word(position)}" for position in range(self.total_tokens))
        head = json.loads(self._envelope + "}") | {"object": "chat.completion"}
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": self.finish_reason,
        }
        return json.dumps(head | {"choices": [choice], "usage": json.loads(self.usage())})

    @property
    def whole_answer_ns(self) -> int:
        """When a whole answer is ready."""
        return self.first_token_ns + self._gap_ns(self.total_tokens)
