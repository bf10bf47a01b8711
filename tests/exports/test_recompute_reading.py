from __future__ import annotations

import pytest

from leaderboard.exports.recompute.reading import Source


@pytest.mark.parametrize(
    ("place", "root"),
    [
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/data/v1/"),
        ("https://board.example.org", "https://board.example.org/data/v1/"),
        ("https://board.example.org/data/v1", "https://board.example.org/data/v1/"),
        ("https://files.example.org/copy/", "https://files.example.org/copy/"),
    ],
)
def test_boards_own_address_means_its_dataset(place: str, root: str) -> None:
    assert Source(place).root == root
