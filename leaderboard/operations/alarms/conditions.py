"""The conditions that need a person: each a function of the moment, giving what rings now with the words to act on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from leaderboard.measurements.spending import board_cap_usd
from leaderboard.operations import watching

FEWEST_JUDGED = 10
"""Fewer planned probes in the hour say nothing about a share."""
MISSED_SHARE_BORNE = 0.05
SNAPSHOT_LATE = dt.timedelta(minutes=10)
LEAST_SILENCE = dt.timedelta(hours=2)


@dataclass(frozen=True, slots=True)
class Ringing:
    """`name` stays the same while the condition lasts; `text` says what is wrong and what to do."""

    name: str
    text: str


def overdue_probes(now: dt.datetime) -> Iterator[Ringing]:
    counts = watching.slot_counts(now)
    if counts.planned >= FEWEST_JUDGED and counts.missed > MISSED_SHARE_BORNE * counts.planned:
        yield Ringing(
            "overdue-probes",
            f"{counts.missed} of {counts.planned} probes planned in the last hour expired without a sample. "
            "Look whether a probe worker of each location runs, and add one where the queue is long.",
        )


def missing_partition(now: dt.datetime) -> Iterator[Ringing]:
    ahead = watching.partitions_ahead(now)
    if ahead < 1:
        month = "this month" if ahead < 0 else "next month"
        yield Ringing(
            "missing-partition",
            f"There is no partition for the samples of {month}. Look in the board worker's log why "
            "measurements.make_partitions fails; a long read of the table can hold it up.",
        )


def budget_reached(now: dt.datetime) -> Iterator[Ringing]:
    for provider in watching.providers_at_cap(now):
        yield Ringing(
            f"budget-reached:{provider.slug}",
            f"Probing {provider} has reached today's budget ({provider.daily_cap_usd} USD, or the board's "
            f"{board_cap_usd()} USD) and waits for 00:00 UTC. Raise the cap, or probe less often.",
        )


def key_refused(now: dt.datetime) -> Iterator[Ringing]:
    for provider in watching.refusing_providers(now):
        yield Ringing(
            f"key-refused:{provider.slug}",
            f"{provider} refuses our key or account (401, 402 or 403). Renew the key or the credit, "
            "then choose “Probe now”.",
        )


def faults_of_ours(now: dt.datetime) -> Iterator[Ringing]:
    counts = watching.faults_of_ours(now)
    if counts:
        kinds = ", ".join(f"{number} × {kind}" for kind, number in sorted(counts.items()))
        yield Ringing(
            "faults-of-ours",
            f"Probes of the last hour failed by our own fault: {kinds}. Their messages are with the samples; "
            "a missing key, a wrong address or a bug of ours.",
        )


def late_snapshot(now: dt.datetime) -> Iterator[Ringing]:
    """Only where there was something new to show."""
    age, ok_age = watching.snapshot_age(now), watching.last_ok_age(now)
    if ok_age is None or (age is not None and (age < SNAPSHOT_LATE or age <= ok_age)):
        return
    if age is None and ok_age < SNAPSHOT_LATE:
        return
    made = (
        "none was ever made" if age is None else f"the newest is {age // dt.timedelta(minutes=1)} minutes old"
    )
    yield Ringing(
        "late-snapshot",
        f"Samples arrive and the board does not show them: {made}. Look in the board worker's log.",
    )


def stale_board(now: dt.datetime) -> Iterator[Ringing]:
    active = watching.active_offerings()
    if not active.number or active.shortest_interval_s is None or active.last_ok_at is None:
        return
    silence = now - active.last_ok_at
    if silence > max(LEAST_SILENCE, dt.timedelta(seconds=2 * active.shortest_interval_s)):
        yield Ringing(
            "stale-board",
            f"No probe of a real offering succeeded for {silence // dt.timedelta(hours=1)} hours. "
            "Look whether beat and the workers run and reach the internet.",
        )


CONDITIONS: tuple[Callable[[dt.datetime], Iterator[Ringing]], ...] = (
    overdue_probes,
    missing_partition,
    budget_reached,
    key_refused,
    faults_of_ours,
    late_snapshot,
    stale_board,
)


def ringing(now: dt.datetime) -> list[Ringing]:
    """Everything that rings now."""
    return [found for condition in CONDITIONS for found in condition(now)]
