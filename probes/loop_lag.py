"""How late the event loop ran while a probe was waiting: a light tick, shared by all probes of a loop."""

from __future__ import annotations

import asyncio
import time
from array import array
from weakref import WeakKeyDictionary

TICK_S = 0.02


class LagWatch:
    """The worst lateness from `start` to `stop`."""

    def __init__(self) -> None:
        self._ticker = _ticker_of(asyncio.get_running_loop())
        self._first_tick = 0

    def start(self) -> None:
        self._first_tick = self._ticker.enter()

    def stop(self) -> float:
        """In ms, never below 0."""
        return self._ticker.leave(self._first_tick)


class _Ticker:
    """Ticks only while somebody watches; watchers share one record, so that a tick costs the same for a thousand."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watchers = 0
        self._late_ms = array("d")
        self._timer: asyncio.TimerHandle | None = None
        self._due_ns = 0

    def enter(self) -> int:
        self._watchers += 1
        if self._timer is None:
            self._schedule()
        return len(self._late_ms)

    def leave(self, first_tick: int) -> float:
        self._note()  # a block that ends just before the probe does is seen too
        worst_ms = max(0.0, *self._late_ms[first_tick:])
        self._watchers -= 1
        if not self._watchers and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._late_ms = array("d")
        return worst_ms

    def _schedule(self) -> None:
        self._due_ns = time.perf_counter_ns() + int(TICK_S * 1e9)
        self._timer = self._loop.call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        self._note()
        self._schedule()

    def _note(self) -> None:
        self._late_ms.append((time.perf_counter_ns() - self._due_ns) / 1e6)


_tickers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Ticker] = WeakKeyDictionary()


def _ticker_of(loop: asyncio.AbstractEventLoop) -> _Ticker:
    if loop not in _tickers:
        _tickers[loop] = _Ticker(loop)
    return _tickers[loop]
