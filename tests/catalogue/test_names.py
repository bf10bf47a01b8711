from __future__ import annotations

import pytest

from leaderboard.catalogue.names import BadName, fold_name, read_token_count, slug_of, tidy_name


@pytest.mark.parametrize(
    ("written", "tidied"),
    [
        ("  Alfa   Inference ", "Alfa Inference"),
        ("Alfa\u00a0Inference\n", "Alfa Inference"),
        ("Al\u200bfa\ufeff", "Alfa"),
        ("Alfa\u202egpt", "Alfagpt"),
        ("Alfa\x00\x1b", "Alfa"),
        ("\ud800Alfa", "Alfa"),
        ("👩\u200d🚀", "👩\u200d🚀"),
    ],
)
def test_name_is_tidied_for_show(written: str, tidied: str) -> None:
    assert tidy_name(written, longest=120) == tidied


@pytest.mark.parametrize("written", ["", "   ", "\u200b", None, 5, "m" * 121])
def test_what_is_no_name_is_refused(written: object) -> None:
    with pytest.raises(BadName):
        tidy_name(written, longest=120)


def test_spellings_of_one_name_fold_alike() -> None:
    assert fold_name("ＡＬＦＡ  Straße") == fold_name("alfa strasse")
    assert fold_name("Cafe\u0301") == fold_name("CAFÉ")


def test_slug_is_ascii_and_never_empty() -> None:
    assert slug_of("Café GPU, Inc.") == "cafe-gpu-inc"
    assert slug_of("银河推理 🚀") == slug_of("银河推理  🚀")
    assert slug_of("银河推理 🚀").startswith("provider-")


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ("128k", 128_000),
        ("1M", 1_000_000),
        ("131,072 tokens", 131_072),
        (200_000.0, 200_000),
        ("1.5k", 1500),
        (0, None),
        (-1, None),
        ("-1", None),
        ("many", None),
        (True, None),
        (None, None),
        ("99999999M", None),
    ],
)
def test_token_counts_are_read_or_unknown(written: object, count: int | None) -> None:
    assert read_token_count(written) == count
