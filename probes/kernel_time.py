"""Kernel receive stamps on TCP sockets, turned into the monotonic clock the meter counts in.

The kernel stamps packets with the wall clock; the difference of the two clocks is sampled when needed, and a step
of the wall clock shows as a changed difference. Where the kernel gives no stamps, everything here returns None.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
from collections.abc import Iterable

SO_TIMESTAMPNS = 35
"""Linux's option number; the socket module does not name it."""
ANCILLARY_BYTES = 64
HAS_KERNEL_STAMPS = sys.platform == "linux"
STEP_NS = 1_000_000

_TIMESPEC = struct.Struct("qq")
_SECOND = 1_000_000_000


def ask_for_stamps(sock: socket.socket) -> bool:
    """Whether the kernel will stamp what this socket (and those it accepts) receives."""
    if not HAS_KERNEL_STAMPS:
        return False
    try:
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    except OSError:
        return False
    return True


def sample_offset_ns() -> int:
    """Wall clock minus monotonic clock, from the tightest of five readings."""
    best_width, best_offset = sys.maxsize, 0
    for _ in range(5):
        before = time.perf_counter_ns()
        wall = time.clock_gettime_ns(time.CLOCK_REALTIME)
        after = time.perf_counter_ns()
        if after - before < best_width:
            best_width, best_offset = after - before, wall - (before + after) // 2
    return best_offset


def read_stamp_ns(ancillary: Iterable[tuple[int, int, bytes]]) -> int | None:
    """The wall-clock stamp in a recvmsg's ancillary parts; of several packets read at once, the last one's."""
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS and len(content) >= _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack_from(content)
            return int(seconds) * _SECOND + int(nanoseconds)
    return None


_stamping_is_held = False


def hold_stamping() -> None:
    """Keep stamping switched on in the kernel: it turns on late for the first socket that asks."""
    global _stamping_is_held
    if _stamping_is_held or not HAS_KERNEL_STAMPS:
        return
    holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    ask_for_stamps(holder)
    holder.detach()  # the descriptor lives as long as the process, by intent
    _stamping_is_held = True
