"""Engines that listen on this machine's loopback, at the ports they take by themselves."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.catalogue.engines.facts import EngineFacts
from leaderboard.catalogue.engines.reading import EngineReader

USUAL_PORTS = (11434, 8000, 30000, 8080, 1234)
"""Ollama, vLLM, SGLang, llama.cpp, LM Studio."""
CONNECT_TIMEOUT_S = 0.2
READ_TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """One engine found on loopback; nothing was asked to generate."""

    base_url: str
    facts: EngineFacts

    @property
    def name(self) -> str:
        """What people call it."""
        names = {"vllm": "vLLM", "sglang": "SGLang", "tgi": "TGI", "ollama": "Ollama", "other": "LM Studio"}
        return names.get(self.facts.engine, self.facts.engine)


def detect_local_engines(
    ports: Iterable[int] = USUAL_PORTS, *, leave_out: Iterable[int] = ()
) -> list[LocalEngine]:
    """Those found, in the order of the ports; at most a few seconds. `leave_out`: ports of our own."""
    skipped = set(leave_out)
    found = []
    for port in ports:
        if port in skipped or not is_listening(port):
            continue
        base_url = f"http://127.0.0.1:{port}/v1"
        with EngineReader(base_url, timeout_s=READ_TIMEOUT_S) as reader:
            facts = reader.facts()
        if facts:
            found.append(LocalEngine(base_url, facts))
    return found


def is_listening(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=CONNECT_TIMEOUT_S):
            return True
    except OSError:
        return False
