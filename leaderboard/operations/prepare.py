"""What a data dir needs before the board shows it; doing it again changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leaderboard.operations.first_admin import make_first_admin


def prepare_board(*, lab_port: int | None, measure: Sequence[str], say: Callable[[str], object]) -> None:
    login = make_first_admin()
    if login:
        say(login)
