"""The tokenizer's child process: the same counts, and a way back when it dies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from probes import reference_tokenizer
from probes.reference_tokenizer import count_elsewhere, count_reference_tokens, stop_counting_elsewhere
from probes.tokenizer_process import TokenizerProcess, TokenizerProcessError

TEXTS = ("", "hello world", "漢字 and\nlines", "\ud800", "long " * 5000)


@pytest.fixture
def elsewhere() -> Iterator[TokenizerProcess]:
    count_elsewhere()
    assert reference_tokenizer._elsewhere is not None
    yield reference_tokenizer._elsewhere
    stop_counting_elsewhere()


def test_child_counts_as_the_parent_does(elsewhere: TokenizerProcess) -> None:
    from_child = [count_reference_tokens(text) for text in TEXTS]
    stop_counting_elsewhere()

    assert from_child == [count_reference_tokens(text) for text in TEXTS]


def test_dead_child_is_replaced_by_counting_here(elsewhere: TokenizerProcess) -> None:
    elsewhere._child.kill()
    elsewhere._child.wait()

    with pytest.raises(TokenizerProcessError):
        elsewhere.count("hello world")
    assert count_reference_tokens("hello world") == 2
    assert reference_tokenizer._elsewhere is None


def test_fork_does_not_share_the_child(elsewhere: TokenizerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.tokenizer_process.os.getpid", lambda: -1)

    assert not elsewhere.is_ours
    assert count_reference_tokens("hello world") == 2
