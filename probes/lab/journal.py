"""What the lab did and when, request by request: one JSON line each, the truth a client is compared with."""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO


@dataclass(slots=True)
class ServedRequest:
    """One request as the lab saw it; stamps are nanoseconds of the monotonic clock of this machine."""

    request_id: str
    model: str
    status: int
    received_ns: int
    """When the request's last byte came."""
    received_by: str
    """kernel or user: which clock reading `received_ns` is."""
    authorization: str = field(default="", repr=False)
    """Kept in memory for tests, never written."""
    sent_ns: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    max_late_ms: float = 0.0
    """The worst delay of a write behind its plan."""
    max_write_ms: float = 0.0
    """The longest write: above some ms the machine held the lab between stamp and packet."""
    ending: str = "open"

    @property
    def content_ns(self) -> list[int]:
        """The stamps of the events that carried tokens."""
        return [at_ns for at_ns, count in zip(self.sent_ns, self.tokens, strict=True) if count]

    def as_json(self) -> str:
        names = ("request_id", "model", "status", "received_ns", "received_by", "max_late_ms", "max_write_ms", "ending",
                 "sent_ns", "kinds", "tokens")  # fmt: skip
        return json.dumps({name: getattr(self, name) for name in names})


class Journal:
    """Keeps the newest requests in memory and, given a file, appends each to it when it ends."""

    def __init__(self, path: Path | None = None, kept: int = 0) -> None:
        self.served: deque[ServedRequest] = deque(maxlen=kept)
        self._has_news = threading.Condition()
        self._file: IO[str] | None = path.open("a", encoding="utf-8") if path is not None else None

    @property
    def wants_events(self) -> bool:
        return self._file is not None or bool(self.served.maxlen)

    def add(self, served: ServedRequest) -> None:
        with self._has_news:
            self.served.append(served)
            self._has_news.notify_all()
        if self._file is not None:
            self._file.write(served.as_json() + "\n")
            self._file.flush()

    def wait_for(self, request_id: str, timeout_s: float) -> ServedRequest:
        """The request once it has ended. Raises TimeoutError."""

        def find() -> ServedRequest | None:
            return next((served for served in self.served if served.request_id == request_id), None)

        with self._has_news:
            found = self._has_news.wait_for(find, timeout_s)
        if found is None:
            raise TimeoutError(f"the request {request_id} did not end in {timeout_s:g} s")
        return found

    def wait_for_requests(self, count: int, timeout_s: float) -> list[ServedRequest]:
        """All that have ended, once there are `count`. Raises TimeoutError."""
        with self._has_news:
            if not self._has_news.wait_for(lambda: len(self.served) >= count, timeout_s):
                raise TimeoutError(f"{len(self.served)} of {count} requests ended in {timeout_s:g} s")
            return list(self.served)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
