from __future__ import annotations

import pytest
from cryptography.fernet import Fernet

from leaderboard.operations.environment import EnvironmentProblem, read_environment


def test_credentials_keys_are_taken_as_they_are() -> None:
    keys = f"{Fernet.generate_key().decode()}, {Fernet.generate_key().decode()}"

    assert read_environment({"LEADERBOARD_CREDENTIALS_KEY": keys}).credentials_key == keys
    assert read_environment({"LEADERBOARD_CREDENTIALS_KEY": " "}).credentials_key is None


@pytest.mark.parametrize("value", ["hush", "a" * 44, f"{'A' * 43}=,hush", ","])
def test_malformed_credentials_key_stops_the_start_and_is_not_shown(value: str) -> None:
    with pytest.raises(EnvironmentProblem, match=r"manage\.py credentials_key") as refused:
        read_environment({"LEADERBOARD_CREDENTIALS_KEY": value})

    assert "hush" not in str(refused.value)
