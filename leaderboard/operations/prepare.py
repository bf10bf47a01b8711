"""What a data dir needs before the board shows it; doing it again changes nothing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from leaderboard.catalogue.loading import load_catalogue
from leaderboard.measurements.partitions import make_partitions, months_wanted
from leaderboard.operations.demo import ENDED_AT_START, end_demo, load_demo
from leaderboard.operations.first_admin import make_first_admin
from leaderboard.operations.measure import begin_measuring
from leaderboard.operations.offers import engine_offers, key_offers


def prepare_board(
    *, lab_port: int | None, revive_demo: bool, measure: Sequence[str], say: Callable[[str], object]
) -> None:
    """`lab_port` None: the demo leaves the board."""
    now = dt.datetime.now(dt.UTC)
    make_partitions(months_wanted(now))
    login = make_first_admin()
    if login:
        say(login)
    load_catalogue()
    if lab_port is None:
        end_demo(ENDED_AT_START)
    else:
        load_demo(lab_port, revive=revive_demo)
    now = dt.datetime.now(dt.UTC)  # the prices just loaded are in force from now on, not from before
    begin_measuring(measure, now=now, say=say)
    for offer in [*key_offers(now), *engine_offers()]:
        say(f"could measure {offer.sentence}; say so with --measure {offer.slug} or in the admin")
