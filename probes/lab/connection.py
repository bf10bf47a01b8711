"""One client of the lab: its socket, what it sent, and what it has not yet taken."""

from __future__ import annotations

import socket
import ssl
import struct
import time

from probes.kernel_time import ANCILLARY_BYTES, read_stamp_ns
from probes.lab.answers import Answer
from probes.lab.http import Request
from probes.lab.journal import ServedRequest
from probes.lab.tls import ServerSession
from probes.lab.wire import Send

READ_BYTES = 262_144


class ClientLeft(Exception):
    """The connection is over; nothing more can be written or read."""


class Connection:
    """A non-blocking socket with the answer under way on it, and a TLS session where there is a context."""

    def __init__(self, sock: socket.socket, tls_context: ssl.SSLContext | None = None) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = sock
        self._tls = ServerSession(tls_context) if tls_context is not None else None
        self.received = bytearray()
        self.unsent = bytearray()
        self.answer: Answer | None = None
        self.next_send: Send | None = None
        self.served: ServedRequest | None = None
        self.request: Request | None = None
        self.is_closed = False

    def read(self) -> tuple[int, int | None] | None:
        """Take in what has come: when it was read and, where the kernel says, when it came; None for nothing new.

        Raises ClientLeft.
        """
        try:
            data, ancillary, _, _ = self.sock.recvmsg(READ_BYTES, ANCILLARY_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            raise ClientLeft from None
        now_ns = time.perf_counter_ns()
        if not data:
            raise ClientLeft
        plain = data if self._tls is None else self._decrypt(self._tls, data)
        self.received += plain
        return (now_ns, read_stamp_ns(ancillary)) if plain else None

    def _decrypt(self, tls: ServerSession, cipher: bytes) -> bytes:
        try:
            plain = tls.decrypt(cipher)
            if pending := tls.take_pending():
                self.sock.send(pending)
        except OSError:  # a broken session too
            raise ClientLeft from None
        return plain

    def begin(self, request: Request, answer: Answer, received_ns: int, *, received_by: str) -> None:
        self.request = request
        self.answer = answer
        self.served = ServedRequest(
            request_id=request.request_id,
            model=answer.model,
            status=answer.status,
            received_ns=received_ns,
            received_by=received_by,
            authorization=request.headers.get("authorization", ""),
        )

    def write(self, send: Send, *, notes_events: bool) -> bool:
        """Write it, stamped just before; False where the client does not read fast enough. Raises ClientLeft."""
        data = send.data if self._tls is None else self._tls.encrypt(send.data)
        at_ns = time.perf_counter_ns()
        try:
            count = self.sock.send(data)
        except BlockingIOError:
            count = 0
        except OSError:
            raise ClientLeft from None
        if send.kind and self.served is not None:
            self._note(self.served, send, at_ns, notes_events=notes_events)
        self.unsent += data[count:]
        return not self.unsent

    def _note(self, served: ServedRequest, send: Send, at_ns: int, *, notes_events: bool) -> None:
        if notes_events:
            served.sent_ns.append(at_ns)
            served.kinds.append(send.kind)
            served.tokens.append(send.tokens)
        if send.due_ns:
            served.max_late_ms = max(served.max_late_ms, (at_ns - send.due_ns) / 1e6)
        served.max_write_ms = max(served.max_write_ms, (time.perf_counter_ns() - at_ns) / 1e6)

    def flush(self) -> bool:
        """Write what was left over; whether all of it went. Raises ClientLeft."""
        try:
            count = self.sock.send(self.unsent)
        except BlockingIOError:
            return False
        except OSError:
            raise ClientLeft from None
        del self.unsent[:count]
        return not self.unsent

    def reset_on_close(self) -> None:
        """Zero linger makes close send RST; what was written before stays readable on loopback only if taken."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
