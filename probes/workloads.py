"""What a probe asks: versioned workloads whose texts are public and whose lengths are counted by one tokenizer.

A prompt begins with a nonce unique to the probe, so that no prompt cache can answer; all else is equal for every
offering. A change to any text is a new version: samples of two versions are never mixed.
"""

from __future__ import annotations

import functools
import hashlib
import secrets
from dataclasses import dataclass
from typing import Final

from probes.log_book import read_prompt, write_log_book

LONG_ENTRIES: Final = 134
VERY_LONG_ENTRIES: Final = 1_349
NONCE_DIGITS: Final = 18
DAY_S: Final = 86_400
WARM_NONCE: Final = "0" * NONCE_DIGITS
"""Every warm-cache prompt begins the same way: its second reader should find it cached."""


class UnknownWorkloadError(ValueError):
    """The slug names no workload; the text lists those that exist."""


@dataclass(frozen=True, slots=True)
class Workload:
    """One kind of question. Tokens are counted by the reference tokenizer, the nonce line included."""

    slug: str
    version: int
    input_tokens: int
    max_output_tokens: int
    text_name: str
    temperature: float | None = 0.0
    concurrency: int = 1
    """Requests sent at once each time it is measured."""
    is_warm_cache: bool = False
    """The same prompt is sent once, unmeasured, before the one that counts."""
    is_daily: bool = False
    """Measured once in a UTC day and no oftener: ten requests at once weigh on a provider and cost ten times."""

    @property
    def text(self) -> str:
        """The public part of the prompt: all but the nonce line."""
        return _read_text(self.text_name)

    @property
    def sha256(self) -> str:
        """Of the public text in UTF-8."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def interval_s(self, usual_s: int) -> int:
        """Seconds between two measurements where the offering's usual interval is `usual_s`."""
        return max(usual_s, DAY_S) if self.is_daily else usual_s

    def write_prompt(self, nonce: str) -> str:
        """The whole prompt."""
        mark = WARM_NONCE if self.is_warm_cache else nonce
        return f"{mark} is only a label.\n\n{self.text}"


def make_nonce() -> str:
    """Decimal digits in threes, since tokenizers cut digits so: every nonce has the same number of tokens."""
    return str(secrets.randbelow(10**NONCE_DIGITS)).zfill(NONCE_DIGITS)


@functools.cache
def _read_text(name: str) -> str:
    entries = {"long": LONG_ENTRIES, "very-long": VERY_LONG_ENTRIES}.get(name)
    if entries is None:
        return read_prompt(f"{name}.txt")
    book = write_log_book(entries, seed=name)
    return f"{read_prompt('long-opening.txt')}\n\n{book}\n\n{read_prompt('long-task.txt')}"


WORKLOADS: Final[dict[str, Workload]] = {
    workload.slug: workload
    for workload in (
        Workload("short", 1, input_tokens=100, max_output_tokens=300, text_name="short"),
        Workload("medium", 1, input_tokens=1_000, max_output_tokens=1_500, text_name="medium"),
        Workload("long", 1, input_tokens=10_000, max_output_tokens=1_000, text_name="long"),
        Workload("very-long", 1, input_tokens=100_000, max_output_tokens=1_000, text_name="very-long"),
        Workload(
            "parallel-10",
            1,
            input_tokens=1_000,
            max_output_tokens=1_500,
            text_name="medium",
            concurrency=10,
            is_daily=True,
        ),
        Workload(
            "warm-cache",
            1,
            input_tokens=10_000,
            max_output_tokens=1_000,
            text_name="long",
            is_warm_cache=True,
        ),
    )
}
DEFAULT_WORKLOAD: Final = "medium"
DAILY_WORKLOADS: Final = tuple(slug for slug, workload in WORKLOADS.items() if workload.is_daily)


def get_workload(slug: str) -> Workload:
    """Raises UnknownWorkloadError."""
    try:
        return WORKLOADS[slug]
    except KeyError:
        raise UnknownWorkloadError(
            f"Unknown workload {slug!r}: choose one of {', '.join(WORKLOADS)}."
        ) from None


def workload_interval_s(slug: str, usual_s: int) -> int:
    """As Workload.interval_s; a slug that is no workload any more keeps the usual interval."""
    workload = WORKLOADS.get(slug)
    return usual_s if workload is None else workload.interval_s(usual_s)
