"""A board whose clock is moved by hand: the real due and admission rules, with a dictionary for the tables.

Time goes in ticks. The wall clock may be stepped against true time, as a host's can be.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, deque
from dataclasses import dataclass, field

from leaderboard.measurements.due import DueSlot, InFlight, Timetable, admitted, due_slots

Moment = dt.datetime
SlotKey = tuple[int, str, Moment]


@dataclass(slots=True)
class Running:
    slot: DueSlot
    ends_at: Moment


@dataclass(kw_only=True)
class Board:
    timetables: list[Timetable]
    run_takes: dt.timedelta = dt.timedelta(seconds=2)
    at_once: int = 1
    beats: int = 1
    workers: int = 4
    claimed: dict[SlotKey, DueSlot] = field(default_factory=dict)
    queue: deque[DueSlot] = field(default_factory=deque)
    running: list[Running] = field(default_factory=list)
    samples: dict[SlotKey, Moment] = field(default_factory=dict)
    requests: list[tuple[SlotKey, Moment]] = field(default_factory=list)
    dropped: list[SlotKey] = field(default_factory=list)
    most_per_provider: int = 0
    most_per_offering: int = 0

    def plan(self, now: Moment) -> None:
        """Each beat claims; a key that is taken cannot be claimed again."""
        for _ in range(self.beats):
            open_slots = [s for s in due_slots(self.timetables, now) if key(s) not in self.claimed]
            for slot in admitted(open_slots, self.in_flight(now), at_once=self.at_once):
                self.claimed[key(slot)] = slot
                self.queue.append(slot)

    def in_flight(self, now: Moment) -> InFlight:
        slots = [s for s in self.queue if s.expires_at >= now] + [r.slot for r in self.running]
        return InFlight(frozenset(s.offering_id for s in slots), Counter(s.provider_id for s in slots))

    def work(self, now: Moment, true_now: Moment) -> None:
        """Finish what is over, then take up messages; one that is too old drops itself."""
        for run in [r for r in self.running if r.ends_at <= true_now]:
            self.running.remove(run)
            self.samples.setdefault(key(run.slot), run.slot.scheduled_at)
        while self.queue and len(self.running) < self.workers * 100:
            slot = self.queue.popleft()
            if now > slot.expires_at:
                self.dropped.append(key(slot))
            elif key(slot) not in self.samples:
                self.running.append(Running(slot, true_now + self.run_takes))
                self.requests.append((key(slot), now))
        self.most_per_provider = max([self.most_per_provider, *self.count("provider_id")])
        self.most_per_offering = max([self.most_per_offering, *self.count("offering_id")])

    def count(self, name: str) -> list[int]:
        return list(Counter(getattr(r.slot, name) for r in self.running).values())

    def stored_slots(self) -> list[Moment]:
        return sorted(self.samples.values())


def key(slot: DueSlot) -> SlotKey:
    return slot.offering_id, slot.workload, slot.scheduled_at
