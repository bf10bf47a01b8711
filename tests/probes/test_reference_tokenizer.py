"""The reference tokenizer: known counts, and none without its package."""

from __future__ import annotations

import sys

import pytest

from probes import reference_tokenizer
from probes.reference_tokenizer import count_reference_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("five little words sent here", 5),
        ("<|endoftext|>", 7),
        ("漢字", 2),
        ("\ud800", 1),
    ],
)
def test_reference_tokens_are_those_of_o200k(text: str, tokens: int) -> None:
    assert count_reference_tokens(text) == tokens


def test_reference_tokens_are_unknown_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toktok", None)
    reference_tokenizer._load.cache_clear()

    assert count_reference_tokens("hello") is None

    monkeypatch.undo()
    reference_tokenizer._load.cache_clear()
    assert count_reference_tokens("hello") == 1
