"""The lab's server: one thread, one poll set, one heap of due writes; every write is stamped just before it is made.

It serves whoever can reach its address, so it binds to loopback unless told otherwise. Nothing it says is secret.
"""

from __future__ import annotations

import heapq
import itertools
import select
import selectors
import socket
import ssl
import threading
import time
from collections import Counter, deque
from pathlib import Path
from types import TracebackType

from probes.kernel_time import ask_for_stamps, sample_offset_ns
from probes.lab.answers import plan_answer
from probes.lab.connection import ClientLeft, Connection
from probes.lab.http import BadRequest, take_request
from probes.lab.journal import Journal, ServedRequest
from probes.lab.wire import Send

IDLE_WAIT_S = 0.2
BATCH = 16
"""Writes made for one stream before others get their turn."""


class Lab:
    """A running lab; use it as a context manager, or `start` and `stop` it. `url` ends in /v1."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        log: Path | None = None,
        keep_requests: int = 1000,
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        self._address = (host, port)
        self._tls_context = tls_context
        self._log = log
        self._keep_requests = keep_requests
        self._selector = selectors.DefaultSelector()
        self._heap: list[tuple[int, int, Connection]] = []
        self._order = itertools.count()
        self._active: Counter[str] = Counter()
        self._connections: set[Connection] = set()
        self._offset_ns = 0
        self._offset_until_ns = 0
        self._thread: threading.Thread | None = None
        self._is_stopping = threading.Event()

    @property
    def served(self) -> deque[ServedRequest]:
        """The newest requests that have ended."""
        return self._journal.served

    def wait_for(self, request_id: str, timeout_s: float = 5.0) -> ServedRequest:
        """What was sent to that request, once it has ended: a client knows the end before the lab has noted it."""
        return self._journal.wait_for(request_id, timeout_s)

    def wait_for_requests(self, count: int, timeout_s: float = 5.0) -> list[ServedRequest]:
        """The requests that have ended, once there are so many."""
        return self._journal.wait_for_requests(count, timeout_s)

    @property
    def url(self) -> str:
        host, port = self._listener.getsockname()[:2]
        scheme = "http" if self._tls_context is None else "https"
        return f"{scheme}://[{host}]:{port}/v1" if ":" in host else f"{scheme}://{host}:{port}/v1"

    def __enter__(self) -> Lab:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Bind and serve from a thread of its own. Raises OSError where the address is taken."""
        self.bind()
        self._thread = threading.Thread(target=self.serve, name="lab", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._is_stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def bind(self) -> None:
        """Take the address, so that `url` is known. Raises OSError where it is taken."""
        host, port = self._address
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family, backlog=1024)
        self._listener.setblocking(False)
        self._has_kernel_stamps = ask_for_stamps(self._listener)
        self._journal = Journal(self._log, self._keep_requests)
        self._selector.register(self._listener, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve in this thread until `stop` is called; `bind` came before."""
        try:
            while not self._is_stopping.is_set():
                self._send_due()
                self._wait()
        finally:
            self._close_all()

    def _wait(self) -> None:
        delay_s = IDLE_WAIT_S
        if self._heap:
            delay_s = min(delay_s, max(0.0, (self._heap[0][0] - time.perf_counter_ns()) / 1e9))
        # select takes microseconds where poll rounds up to milliseconds; one descriptor stands for all.
        if select.select([self._selector.fileno()], (), (), delay_s)[0]:
            for key, events in self._selector.select(0):
                self._handle(key, events)

    def _handle(self, key: selectors.SelectorKey, events: int) -> None:
        if key.data is None:
            self._accept()
            return
        connection: Connection = key.data
        if connection.is_closed:
            return
        try:
            if events & selectors.EVENT_WRITE and connection.flush():
                self._selector.modify(connection.sock, selectors.EVENT_READ, connection)
                self._advance(connection)
            if events & selectors.EVENT_READ and not connection.is_closed:
                self._read(connection)
        except ClientLeft:
            self._close(connection, "client left")

    def _accept(self) -> None:
        for _ in range(64):
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            connection = Connection(sock, self._tls_context)
            self._connections.add(connection)
            self._selector.register(sock, selectors.EVENT_READ, connection)

    def _read(self, connection: Connection) -> None:
        stamps = connection.read()
        if stamps is None or connection.answer is not None:
            return
        now_ns, stamp_ns = stamps
        if stamp_ns is None or not self._has_kernel_stamps:
            self._begin_answer(connection, None, now_ns)
        else:
            self._begin_answer(connection, min(now_ns, stamp_ns - self._clock_offset_ns(now_ns)), now_ns)

    def _clock_offset_ns(self, now_ns: int) -> int:
        if now_ns > self._offset_until_ns:
            self._offset_ns = sample_offset_ns()
            self._offset_until_ns = now_ns + 1_000_000_000
        return self._offset_ns

    def _begin_answer(self, connection: Connection, kernel_ns: int | None, now_ns: int) -> None:
        try:
            request = take_request(connection.received)
        except BadRequest:
            self._close(connection, "bad request")
            return
        if request is None:
            return
        base_ns = now_ns if kernel_ns is None else kernel_ns
        answer = plan_answer(request, request.request_id, base_ns, self._active.__getitem__)
        connection.begin(request, answer, base_ns, received_by="user" if kernel_ns is None else "kernel")
        self._active[answer.model] += 1
        self._advance(connection)

    def _advance(self, connection: Connection) -> None:
        """Queue the answer's next write, or end the answer."""
        assert connection.answer is not None  # noqa: S101 - for the type checker
        connection.next_send = next(connection.answer.sends, None)
        if connection.next_send is not None:
            self._queue(connection, connection.next_send)
        elif not connection.unsent:
            self._end_answer(connection)

    def _queue(self, connection: Connection, send: Send) -> None:
        heapq.heappush(self._heap, (send.due_ns, next(self._order), connection))

    def _send_due(self) -> None:
        for _ in range(256):
            if not self._heap or self._heap[0][0] > time.perf_counter_ns():
                return
            _, _, connection = heapq.heappop(self._heap)
            try:
                self._send_some(connection)
            except ClientLeft:
                self._close(connection, "client left")

    def _send_some(self, connection: Connection) -> None:
        for _ in range(BATCH):
            send, answer = connection.next_send, connection.answer
            if connection.is_closed or send is None or answer is None:
                return
            if not connection.write(send, notes_events=self._journal.wants_events):
                events = selectors.EVENT_READ | selectors.EVENT_WRITE
                self._selector.modify(connection.sock, events, connection)
                return
            following = connection.next_send = next(answer.sends, None)
            if following is None:
                self._end_answer(connection)
                return
            if following.due_ns > time.perf_counter_ns():
                break
        if connection.next_send is not None:
            self._queue(connection, connection.next_send)

    def _end_answer(self, connection: Connection) -> None:
        assert connection.answer is not None  # noqa: S101 - for the type checker
        ending = connection.answer.ending
        if ending == "hang":
            return
        if ending == "reset":
            connection.reset_on_close()
        if ending in {"reset", "close"}:
            self._close(connection, ending)
            return
        keeps_open = connection.request is not None and connection.request.keeps_open
        self._finish_served(connection, "complete")
        if not keeps_open:
            self._close(connection, "complete")
        elif connection.received:
            self._begin_answer(connection, None, time.perf_counter_ns())

    def _finish_served(self, connection: Connection, ending: str) -> None:
        served, answer = connection.served, connection.answer
        connection.served = connection.answer = connection.request = None
        if served is None or answer is None:
            return
        self._active[answer.model] -= 1
        served.ending = ending
        self._journal.add(served)

    def _close(self, connection: Connection, ending: str) -> None:
        if connection.is_closed:
            return
        connection.is_closed = True
        self._finish_served(connection, ending)
        self._connections.discard(connection)
        self._selector.unregister(connection.sock)
        connection.sock.close()

    def _close_all(self) -> None:
        for connection in list(self._connections):
            self._close(connection, "lab stopped")
        self._selector.unregister(self._listener)
        self._listener.close()
        self._selector.close()
        self._journal.close()
