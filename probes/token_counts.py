"""How many tokens an answer had, and who says so: the provider's usage, else the reference tokenizer, else unknown."""

from __future__ import annotations

from dataclasses import dataclass

from probes.reference_tokenizer import count_reference_tokens
from probes.timeline import Timeline, find_thought_spans
from probes.transcript import Transcript

SUSPECT_FACTOR = 2


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """None is unknown. `output` includes reasoning; `hidden` is reasoning that was counted but never shown."""

    output: int | None = None
    reasoning: int | None = None
    answer: int | None = None
    """Visible answer tokens: output without reasoning, or the reference count where reasoning was not reported."""
    hidden: int = 0
    reference: int | None = None
    source: str = "unknown"
    flags: tuple[str, ...] = ()

    @property
    def shown(self) -> int | None:
        return None if self.output is None else self.output - self.hidden


def count_tokens(transcript: Transcript, timeline: Timeline) -> TokenCounts:
    """Usage of zero beside visible text counts as absent; absent usage with hidden reasoning stays unknown."""
    reference = count_reference_tokens(transcript.reasoning + transcript.answer + transcript.other)
    usage = transcript.usage
    reported = usage.output_tokens if usage else None
    reasoning = usage.reasoning_tokens if usage else None
    flags: list[str] = []
    if reported == 0 and timeline.events:
        flags.append("usage_zero")
        reported = None
    elif reported is None:
        flags.append("usage_missing")
    if reported is not None:
        return _count_reported(transcript, timeline, reported, reasoning, reference)
    if not timeline.events or reference is None:
        return TokenCounts(reasoning=reasoning, reference=reference, flags=tuple(flags))
    if transcript.has_hidden_reasoning:
        flags.append("hidden_reasoning")
        return TokenCounts(reasoning=reasoning, reference=reference, flags=tuple(flags))
    answer = count_answer_reference(transcript)
    return TokenCounts(reference, reasoning, answer, 0, reference, "tokenizer", tuple(flags))


def _count_reported(
    transcript: Transcript, timeline: Timeline, output: int, reasoning: int | None, reference: int | None
) -> TokenCounts:
    flags: list[str] = []
    is_shown = timeline.reasoning_chars > 0
    hidden = min(reasoning or 0, output) if timeline.events and not is_shown else 0
    if hidden or transcript.has_hidden_reasoning:
        flags.append("hidden_reasoning")
    if _is_suspect(output - hidden, reference, transcript):
        flags.append("usage_suspect")
    answer: int | None = output - min(reasoning or 0, output)
    if is_shown and not reasoning:
        answer = count_answer_reference(transcript)
        flags.append("answer_tokens_by_tokenizer")
    return TokenCounts(output, reasoning, answer, hidden, reference, "usage", tuple(flags))


def _is_suspect(shown: int, reference: int | None, transcript: Transcript) -> bool:
    """Judged on text alone: a tool call's tokens hold structure that was never sent."""
    if not reference or transcript.other or transcript.has_hidden_reasoning:
        return False
    return shown > SUSPECT_FACTOR * reference or reference > SUSPECT_FACTOR * shown


def count_answer_reference(transcript: Transcript) -> int | None:
    """Reference tokens of what was answered, without what stands between think tags."""
    answer, parts, position = transcript.answer, [], 0
    for start, end in find_thought_spans(answer):
        parts.append(answer[position:start])
        position = end
    return count_reference_tokens("".join(parts) + answer[position:] + transcript.other)
