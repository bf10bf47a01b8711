"""How late the event loop ran while a probe was waiting: a light tick, shared by all probes of a loop."""

from __future__ import annotations

import asyncio
import time
from weakref import WeakKeyDictionary

TICK_S = 0.01


class LagWatch:
    """The worst lateness seen from `start` to `stop`, in ms."""

    def __init__(self) -> None:
        self.worst_ms = 0.0
        self._ticker = _ticker_of(asyncio.get_running_loop())

    def start(self) -> None:
        self._ticker.add(self)

    def stop(self) -> float:
        self._ticker.remove(self)
        return self.worst_ms


class _Ticker:
    """Ticks only while somebody watches."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watches: set[LagWatch] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._due_ns = 0

    def add(self, watch: LagWatch) -> None:
        self._watches.add(watch)
        if self._timer is None:
            self._schedule()

    def remove(self, watch: LagWatch) -> None:
        self._note()  # a block that ends just before the probe does is seen too
        self._watches.discard(watch)
        if not self._watches and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _schedule(self) -> None:
        self._due_ns = time.perf_counter_ns() + int(TICK_S * 1e9)
        self._timer = self._loop.call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        self._note()
        self._schedule()

    def _note(self) -> None:
        late_ms = (time.perf_counter_ns() - self._due_ns) / 1e6
        for watch in self._watches:
            watch.worst_ms = max(watch.worst_ms, late_ms)


_tickers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Ticker] = WeakKeyDictionary()


def _ticker_of(loop: asyncio.AbstractEventLoop) -> _Ticker:
    if loop not in _tickers:
        _tickers[loop] = _Ticker(loop)
    return _tickers[loop]
