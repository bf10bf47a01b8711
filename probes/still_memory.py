"""Holds the garbage collector still while probes wait: a collection in mid-stream would delay a stamp."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_holders = 0
_was_enabled = False


@contextmanager
def hold_memory_still() -> Iterator[None]:
    """Overlapping holders share one freeze; the last one out thaws."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _holders, _was_enabled
    with _lock:
        _holders += 1
        if _holders == 1:
            _was_enabled = gc.isenabled()
            gc.disable()
            gc.freeze()


def _leave() -> None:
    global _holders
    with _lock:
        _holders -= 1
        if _holders == 0:
            gc.unfreeze()
            if _was_enabled:
                gc.enable()
