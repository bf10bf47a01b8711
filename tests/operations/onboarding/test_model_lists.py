from __future__ import annotations

import pytest

from leaderboard.operations.onboarding.model_lists import NoModelList, read_models


@pytest.mark.parametrize("body", [b"[" * 20_000, b"<html>", b'{"data": 5}', b"\xff"])
def test_a_body_that_is_no_list_is_refused_in_words(body: bytes) -> None:
    with pytest.raises(NoModelList):
        read_models(body)


def test_a_name_that_no_page_can_carry_is_tidied() -> None:
    assert [model.name for model in read_models(b'{"data": [{"id": "\\ud800x"}]}')] == ["x"]
