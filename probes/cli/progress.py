"""A progress line on standard error, shown only where a person is looking."""

from __future__ import annotations

import sys

from probes.result import ProbeResult

WIDTH = 24


class Progress:
    """Counts ended requests; without a terminal it does nothing."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._ended = 0
        self._last = ""
        self._is_shown = sys.stderr.isatty()

    def advance(self) -> None:
        self._ended += 1
        self.show()

    def note(self, result: ProbeResult) -> None:
        """Remember the newest result's headline."""
        if result.outcome != "ok":
            self._last = result.outcome
        elif result.ttft_ms is not None:
            speed = "" if result.output_speed_tps is None else f", {result.output_speed_tps:,.0f} tokens/s"
            self._last = f"{result.ttft_ms:,.0f} ms{speed}"
        self.show()

    def show(self) -> None:
        if self._is_shown:
            filled = WIDTH * self._ended // max(1, self._total)
            bar = "█" * filled + "░" * (WIDTH - filled)
            sys.stderr.write(f"\r\x1b[K{bar} {self._ended}/{self._total}  {self._last}")
            sys.stderr.flush()

    def clear(self) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
