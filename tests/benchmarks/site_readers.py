"""A light reader: answers over a connection kept open, with so little work of its own that the server is measured."""

from __future__ import annotations

import socket
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

READERS = 4


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    etag: str
    body: bytes


class Reader:
    """One connection to `address` (host:port), one request after another."""

    def __init__(self, address: str) -> None:
        host, _, port = address.partition(":")
        self.host = address
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.waiting = b""

    def get(self, path: str, etag: str = "") -> Answer:
        asked = f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\nAccept-Encoding: gzip\r\n"
        asked += f"If-None-Match: {etag}\r\n\r\n" if etag else "\r\n"
        self.socket.sendall(asked.encode())
        head = self._until(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        body = self._take(int(headers.get("content-length", "0")))
        return Answer(int(lines[0].split()[1]), headers.get("etag", ""), body)

    def close(self) -> None:
        self.socket.close()

    def _until(self, mark: bytes) -> bytes:
        while mark not in self.waiting:
            self._receive()
        head, _, self.waiting = self.waiting.partition(mark)
        return head

    def _take(self, size: int) -> bytes:
        while len(self.waiting) < size:
            self._receive()
        body, self.waiting = self.waiting[:size], self.waiting[size:]
        return body

    def _receive(self) -> None:
        more = self.socket.recv(262_144)
        if not more:
            raise ConnectionError("the server closed the connection")
        self.waiting += more


def rate(
    address: str, path_of: Callable[[int], str], *, seconds: float, etag: str = ""
) -> tuple[float, float]:
    """Answers a second of all readers together, and the median milliseconds of one."""
    wanted = 304 if etag else 200
    took: list[float] = []
    until = time.perf_counter() + seconds

    def read(number: int) -> None:
        reader, step = Reader(address), number
        while time.perf_counter() < until:
            began = time.perf_counter()
            answer = reader.get(path_of(step), etag)
            if answer.status != wanted:
                raise RuntimeError(f"{path_of(step)}: {answer.status}")
            took.append(time.perf_counter() - began)
            step += READERS
        reader.close()

    began = time.perf_counter()
    threads = [threading.Thread(target=read, args=(n,)) for n in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(took) / (time.perf_counter() - began), statistics.median(took) * 1000 if took else 0.0
