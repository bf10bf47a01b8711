"""What a serving engine says of itself, in one form for all engines. None is unknown: not asked, or not told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

Replies = Mapping[str, object]
"""Path → what was answered there: parsed JSON, or text for a metrics page. A path that failed is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFacts:
    """How the engine is set up. Names of models are as the engine takes them, and may be paths: never published."""

    engine: str
    version: str | None = None
    models: tuple[str, ...] = ()
    max_model_len: int | None = None
    quantization: str | None = None
    """In the catalogue's words; `other` where the engine names a form that has none."""
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    expert_parallel: int | None = None
    speculative_decoding: str | None = None
    requests_at_once: int | None = None
    """How many it works on together before others wait."""
    flags: str = ""
    """Settings that change speed, as name=value with blanks between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCounters:
    """Tokens since the engine started, as it counts them itself."""

    output_tokens: int | None = None
    input_tokens: int | None = None
    running: int | None = None
    waiting: int | None = None


# What engines call their number formats, in the catalogue's words. GGUF's Q-forms go by their bits.
FORMATS = (
    (r"mxfp4.*|.*mxfp4", "mxfp4"),
    (r"bf16|bfloat16|torch\.bfloat16", "bf16"),
    (r"f16|fp16|float16|half|torch\.float16", "fp16"),
    (r"(.*[-_])?fp8(_.*)?|f8.*|float8.*|fbgemm_fp8|w8a8_fp8", "fp8"),
    (r"(.*[-_])?(nvfp4|fp4)(_.*)?", "fp4"),
    (r"i?q8.*|8bit|int8|w8a8(_int8)?|bitsandbytes_8bit|eetq", "int8"),
    (r"i?q4.*|4bit|int4|awq.*|gptq.*|marlin|w4a16|bitsandbytes.*|exl2", "int4"),
)


def quantization_of(word: object) -> str | None:
    """The catalogue's word for an engine's; None where it says nothing or `auto`."""
    if not isinstance(word, str) or not word.strip() or word.strip().lower() in ("auto", "none", "unknown"):
        return None
    text = word.strip().lower().removeprefix("all ").removeprefix("mostly ")
    return next((ours for form, ours in FORMATS if re.fullmatch(form, text)), "other")


def flags_of(settings: Mapping[str, object], names: tuple[str, ...]) -> str:
    """The named settings that are set, in that order; other ones may be secret and are never looked at."""
    found = [(name, settings.get(name)) for name in names]
    return " ".join(
        f"{name}={value}"
        for name, value in found
        if isinstance(value, str | int | float) and str(value) not in ("", "None", "False")
    )
