"""What a data dir needs before the board shows it; doing it again changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leaderboard.operations.demo import ENDED_AT_START, end_demo, load_demo
from leaderboard.operations.first_admin import make_first_admin


def prepare_board(
    *, lab_port: int | None, revive_demo: bool, measure: Sequence[str], say: Callable[[str], object]
) -> None:
    """`lab_port` None: the demo leaves the board."""
    if lab_port is None:
        end_demo(ENDED_AT_START)
    else:
        load_demo(lab_port, revive=revive_demo)
    login = make_first_admin()
    if login:
        say(login)
