"""An open connection that keeps what it reads as (stamp, bytes) and does nothing else while a stream runs.

Reading happens in the event loop's own callback: one system call, one stamp, one append. Decoding waits for a
deadline, a quiet line or the end, so that it never stands between a packet and its stamp.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time

from probes.kernel_time import ANCILLARY_BYTES, ask_for_stamps, hold_stamping, read_stamp_ns, sample_offset_ns
from probes.transport.failure import describe_os_error
from probes.transport.tls import TlsLayer

READ_BYTES = 32_768
MAX_HELD_BYTES = 4_000_000
"""Bytes kept unread by the decoder: beyond it the server has to wait, so that a flood cannot fill the memory."""
CHUNKED_END = b"0\r\n\r\n"
"""Stands at a chunked body's end: seeing it only means that decoding is worth a look."""


class Wire:
    """One connected socket, with or without TLS. `close` must be called."""

    def __init__(self, sock: socket.socket, tls: TlsLayer | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._sock = sock
        self._tls = tls
        self._unsent = b""
        self._wake = asyncio.Event()
        self._is_reading = False
        self._held_bytes = 0
        hold_stamping()
        ask_for_stamps(sock)
        self._offset_ns = sample_offset_ns()
        self._user_stamps = self._kernel_stamps = 0
        self.reads: list[tuple[int, bytes]] = []
        """Reads not yet taken, oldest first: monotonic ns and plaintext."""
        self.raw_bytes = 0
        self.wakes_at_bytes = 0
        """Total at which a sleeping `wait_until` returns; 0 wakes it on every read."""
        self.is_hinted = False
        """Whether bytes that look like an end came since the last `take_reads` that took all."""
        self.last_read_ns = 0
        self.ended_ns: int | None = None
        """When the peer closed or the connection broke; None while it is open."""
        self.error: str | None = None

    @property
    def is_kernel_stamped(self) -> bool:
        """Whether the kernel stamped every read so far."""
        return self.has_kernel_stamps and not self._user_stamps

    @property
    def has_kernel_stamps(self) -> bool:
        """Whether a step of the wall clock would have moved any stamp."""
        return self._kernel_stamps > 0

    def send(self, request: bytes) -> int:
        """Start writing the whole request; the stamp taken just before its first byte."""
        self._unsent = self._tls.encrypt(request) if self._tls is not None else request
        self._start_reading()
        sent_ns = time.perf_counter_ns()
        self._write_some()
        if self._unsent:
            self._loop.add_writer(self._sock, self._on_writable)
        return sent_ns

    def _on_writable(self) -> None:
        self._write_some()
        if not self._unsent:
            self._loop.remove_writer(self._sock)

    def _write_some(self) -> None:
        try:
            count = self._sock.send(self._unsent)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            # A server may refuse before it has read all: its answer is still to be read, or its reset.
            self._unsent = b""
            return
        self._unsent = self._unsent[count:]

    def _on_readable(self) -> None:
        try:
            received, ancillary, _, _ = self._sock.recvmsg(READ_BYTES, ANCILLARY_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._end(time.perf_counter_ns(), describe_os_error(error))
            return
        now_ns = time.perf_counter_ns()
        if not received:
            self._end(now_ns, None)
            return
        stamp_ns = read_stamp_ns(ancillary)
        if stamp_ns is None:
            self._user_stamps += 1
            self._take(now_ns, received)
        else:
            self._kernel_stamps += 1
            self._take(min(now_ns, stamp_ns - self._offset_ns), received)

    def _take(self, at_ns: int, received: bytes) -> None:
        self.last_read_ns = at_ns
        if self._tls is not None:
            received = self._decrypt(at_ns, received)
            if not received:
                return
        self.reads.append((at_ns, received))
        self.raw_bytes += len(received)
        self._held_bytes += len(received)
        if self._held_bytes > MAX_HELD_BYTES:
            self._stop_reading()
        if received.endswith(CHUNKED_END):
            self.is_hinted = True
            self._wake.set()
        elif self.raw_bytes >= self.wakes_at_bytes:
            self._wake.set()

    def _decrypt(self, at_ns: int, received: bytes) -> bytes:
        assert self._tls is not None  # noqa: S101 - for the type checker
        try:
            plain, is_closed = self._tls.decrypt(received)
        except ssl.SSLError:
            self._end(at_ns, "the TLS session broke")
            return b""
        if pending := self._tls.take_pending():
            self._unsent += pending
            self._loop.add_writer(self._sock, self._on_writable)
        if is_closed:
            self._end(at_ns, None)
        return plain

    def _end(self, at_ns: int, error: str | None) -> None:
        self._stop_reading()
        if self.ended_ns is None:
            self.ended_ns, self.error = at_ns, error
        self._wake.set()

    async def wait_until(self, due_ns: int) -> None:
        """Return at `due_ns`, or earlier when something is worth a look."""
        if not self._wake.is_set():
            timer = self._loop.call_later(max(0, due_ns - time.perf_counter_ns()) / 1e9, self._wake.set)
            try:
                await self._wake.wait()
            finally:
                timer.cancel()
        self._wake.clear()

    def take_reads(self, count: int) -> list[tuple[int, bytes]]:
        """Remove and return at most `count` of the oldest reads."""
        taken, self.reads = self.reads[:count], self.reads[count:]
        self.is_hinted = self.is_hinted and bool(self.reads)
        self._held_bytes -= sum(len(received) for _, received in taken)
        if self.ended_ns is None and self._held_bytes <= MAX_HELD_BYTES:
            self._start_reading()
        return taken

    def offset_step_ns(self) -> int:
        """How far the wall clock has moved against the monotonic one since the connection opened."""
        return abs(sample_offset_ns() - self._offset_ns)

    def _start_reading(self) -> None:
        if not self._is_reading:
            self._is_reading = True
            self._loop.add_reader(self._sock, self._on_readable)

    def _stop_reading(self) -> None:
        if self._is_reading:
            self._is_reading = False
            self._loop.remove_reader(self._sock)

    def close(self) -> None:
        self._stop_reading()
        if self._sock.fileno() >= 0:
            self._loop.remove_writer(self._sock)
            self._sock.close()
