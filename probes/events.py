"""What a protocol says a message means: the vocabulary between the API styles and the judgement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """Which part of the output a piece of text belongs to."""

    REASONING = "reasoning"
    ANSWER = "answer"
    TOOL = "tool"
    REFUSAL = "refusal"
    SPECIAL = "special"
    """A generated token that is no text, such as the end-of-sequence mark: it has a time, but nothing to read."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of generated output; an empty one was announced as output but holds none, and is only counted."""

    part: Part
    text: str
    is_opening: bool = False
    """A block's start that already names the tool: a token was seen, though no delta was sent."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the provider told them, cumulative; None where it said nothing."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    """All generated tokens, reasoning included whatever the provider's own habit."""
    reasoning_tokens: int | None = None
    input_excludes_cache: bool = False
    is_fallback: bool = False
    """A count from beside the usage (gateway metrics), used only where no usage came."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A terminal marker; the reason is the provider's own word, None where the marker has none."""

    reason: str | None = None
    is_last: bool = False
    """Nothing of this answer can follow: the connection need not be waited for."""
    is_filtered: bool = False
    """A content filter or guardrail ended the answer."""


@dataclass(frozen=True, slots=True)
class StreamError:
    """An error object inside a body, in the provider's own words."""

    message: str
    code: str | None = None
    kind: str | None = None
    retry_after: str | None = None


@dataclass(frozen=True, slots=True)
class Served:
    """Which model, and for routers which provider, says that it answered."""

    model: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """The engine's own figures under the name of the field that held them."""

    source: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class HiddenReasoning:
    """Reasoning was generated and sent encrypted or redacted: no text to count."""

    unless_shown: bool = False
    """A mark that also ends reasoning which was shown: it tells of hidden reasoning only where none was."""


Event = Delta | Usage | Finished | StreamError | Served | Timing | HiddenReasoning
