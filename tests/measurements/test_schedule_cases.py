"""The shared schedule cases, played on the real due and admission rules with a simulated clock."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest

from leaderboard.measurements.due import Timetable, slot_at
from tests.measurements.simulation import Board
from tests.ranking.cases import differences, load_cases

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
SETTLED = {"catch_up", "claim_first", "lost_run", "retry_cap", "spread"}
DAY = dt.timedelta(days=1)


def seconds(text: str) -> int:
    return int(text[:-1]) * UNITS[text[-1]]


def moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def text(at: dt.datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def inside(ranges: Any, now: dt.datetime) -> bool:
    return any(moment(start) <= now < moment(end) for start, end in ranges or [])


def play(given: Any) -> dict[str, Any]:
    """One offering from `from` to `to`, and as long as its last run takes."""
    interval_s = seconds(given["every"])
    start, end = moment(given["from"]), moment(given["to"])
    tick = dt.timedelta(seconds=5 if end - start <= DAY else 60)
    board = Board(
        timetables=[Timetable(offering_id=1, provider_id=1, workload="medium", interval_s=interval_s)],
        run_takes=dt.timedelta(seconds=given.get("run_takes_s", 2)),
        beats=given.get("beats", 1),
    )
    extra = {moment(at) for name in ("restarts", "edits") for at in given.get(name, [])}
    limited = {moment(r["slot"]): r["retry_after_s"] for r in given.get("rate_limited", [])}
    true_now = wall = start
    while wall <= end + board.run_takes + tick:
        wall = true_now + sum(
            (
                dt.timedelta(seconds=s["by_s"])
                for s in given.get("clock_steps", [])
                if true_now >= moment(s["at"])
            ),
            start=dt.timedelta(0),
        )
        for now in sorted([wall, *(at for at in extra if true_now <= at < true_now + tick)]):
            if not inside(given.get("beat_down"), now) and now <= end:
                board.plan(now)
        if not inside(given.get("worker_down"), wall):
            board.work(wall, true_now)
        for (_, _, slot), at in board.requests:
            if slot in limited:
                wait = at + dt.timedelta(seconds=limited[slot])
                table = board.timetables[0]
                board.timetables[0] = Timetable(
                    offering_id=1,
                    provider_id=1,
                    workload="medium",
                    interval_s=table.interval_s,
                    not_before=wait,
                )
        true_now += tick
    return told(board, given, interval_s)


def told(board: Board, given: Any, interval_s: int) -> dict[str, Any]:
    slots = board.stored_slots()
    first, last = moment(given["from"]), slot_at(moment(given["to"]), interval_s)
    planned = [
        first + dt.timedelta(seconds=interval_s * n)
        for n in range((last - first) // dt.timedelta(seconds=interval_s) + 1)
    ]
    holes = [at for at in planned if at not in slots]
    starts = [at for _, at in board.requests]
    bursts = [
        sum(moment(end) <= at < moment(end) + dt.timedelta(seconds=60) for at in starts)
        for _, end in given.get("beat_down", [])
    ]
    return {
        "stored_slots": [text(at) for at in slots],
        "slots": [text(at) for at in slots],
        "count": len(slots),
        "samples": len(slots),
        "holes": [text(at) for at in holes],
        "holes_count": len(holes),
        "max_runs_within_60s_of_restart": max(bursts, default=0),
        "dropped_tasks": len(board.dropped),
        "max_parallel_per_pair": board.most_per_offering,
        "provider_requests": len(board.requests),
        "requests": [text(slot) for (_, _, slot), _ in board.requests],
        "runs_at_least": min(len(slots), 1),
    }


def play_deliveries(given: Any) -> dict[str, Any]:
    """One claimed slot whose message is delivered more than once."""
    slot = moment(given["slot"])
    board = Board(timetables=[Timetable(offering_id=1, provider_id=1, workload="medium", interval_s=10_800)])
    board.plan(slot)
    (message,) = board.queue
    board.queue.clear()
    for at in map(moment, given["deliveries"]):
        board.queue.append(message)
        board.work(at, at)
        board.work(at + dt.timedelta(seconds=30), at + dt.timedelta(seconds=30))
    return {"samples": len(board.samples)}


def play_spread(given: Any) -> dict[str, Any]:
    """Every pair due at the same instant, 50 providers, 20 s a probe; messages carry no ETA at all."""
    board = Board(
        timetables=[
            Timetable(
                offering_id=n, provider_id=n % 50, workload="medium", interval_s=seconds(given["every"])
            )
            for n in range(given["pairs"])
        ],
        run_takes=dt.timedelta(seconds=20),
        at_once=given["per_provider_parallel"],
    )
    now = moment(given["slot"])
    while len(board.samples) < given["pairs"]:
        board.plan(now)
        board.work(now, now)
        now += dt.timedelta(seconds=5)
    return {
        "max_eta_s_below": given["visibility_timeout_s"],
        "max_parallel_per_provider": board.most_per_provider,
        "all_done_before": "2026-09-01T06:00:00Z" if now < moment("2026-09-01T06:00:00Z") else text(now),
    }


def count_daily_slots(given: Any) -> int:
    """There are no local-time jobs, which the case's notes call better: a daily probe is one UTC slot a day.

    02:30 on a site an hour ahead is the slot at 01:30 UTC, on the day summer time begins as on any other.
    """
    match = re.fullmatch(r"(\d+) (\d+) \* \* \*", given["cron_local"])
    assert match is not None
    daily_offset_s = (int(match[2]) - 1) * 3600 + int(match[1]) * 60
    start, end = moment(given["from"]), moment(given["to"])
    hours = (end - start) // dt.timedelta(hours=1)
    slots = {slot_at(start + dt.timedelta(hours=n), 86_400, daily_offset_s) for n in range(hours + 1)}
    return len([at for at in slots if at >= start])


@pytest.mark.parametrize("case", load_cases("schedule"), ids=lambda case: case["id"])
def test_schedule_case(case: Any) -> None:
    given = case["input"]
    if "cron_local" in given:
        assert count_daily_slots(given) == case["expect"]["count"]
        return
    if "deliveries" in given:
        got = play_deliveries(given)
    elif "pairs" in given:
        got = play_spread(given)
    else:
        got = play(given)

    assert differences(case, got, SETTLED) == []
