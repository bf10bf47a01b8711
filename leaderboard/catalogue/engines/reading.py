"""Asks an engine of our own what it is: a few small GETs, bounded in time and size.

Raises nothing for what an engine does: what could not be read is absent. Redirects are not followed and proxies are
not used, so a key goes nowhere else. No address, key or reply reaches a log or an error text.
"""

from __future__ import annotations

import json
import logging
from types import ModuleType
from urllib.parse import urlsplit, urlunsplit

import httpx

from leaderboard.catalogue.engines import llama_cpp, lm_studio, ollama, sglang, tgi, vllm
from leaderboard.catalogue.engines.facts import EngineCounters, EngineFacts

# httpx writes each address it asks to its log at INFO; those of our own engines are nobody's business.
logging.getLogger("httpx").setLevel(logging.WARNING)

READERS: dict[str, ModuleType] = {
    "sglang": sglang,
    "ollama": ollama,
    "llama.cpp": llama_cpp,
    "tgi": tgi,
    "lm studio": lm_studio,
    "vllm": vllm,
}
"""In the order they are tried: those with a page only they have come first."""
TIMEOUT_S = 3.0
MAX_BYTES = 4_000_000


class EngineReader:
    """Reads one engine's pages, each at most once; use it as a context manager."""

    def __init__(self, base_url: str, *, api_key: str | None = None, timeout_s: float = TIMEOUT_S) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._root = root_of(base_url)
        self._client = httpx.Client(trust_env=False, timeout=timeout_s, headers=headers)
        self._replies: dict[str, object] = {}
        self._asked: set[str] = set()
        self._is_reachable = True

    def __enter__(self) -> EngineReader:
        return self

    def __exit__(self, *exception: object) -> None:
        self._client.close()

    def facts(self, *, engine: str | None = None) -> EngineFacts | None:
        """What it says of itself, by the named engine's pages or by the first that fit; None where none does."""
        readers = [READERS[engine]] if engine in READERS else READERS.values()
        for reader in readers:
            self._ask(reader.PATHS)
            found: EngineFacts | None = reader.read_facts(self._replies)
            if found or not self._is_reachable:
                return found
        return None

    def counters(self, *, engine: str) -> EngineCounters:
        """Its counters as they stand now; all None where it keeps or shows none."""
        reader = READERS.get(engine)
        if reader is None:
            return EngineCounters()
        self._asked -= set(reader.COUNTER_PATHS)
        self._ask(reader.COUNTER_PATHS)
        found: EngineCounters = reader.read_counters(self._replies)
        return found

    def _ask(self, paths: tuple[str, ...]) -> None:
        for path in paths:
            if path in self._asked or not self._is_reachable:
                continue
            self._asked.add(path)
            self._replies.pop(path, None)
            try:
                reply = fetched(self._client, self._root + path)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                self._is_reachable = False
            except (httpx.HTTPError, httpx.InvalidURL, ValueError):
                continue
            else:
                self._replies[path] = reply


def fetched(client: httpx.Client, url: str) -> object:
    """A page as JSON, or as text where it is none. Raises ValueError for a refusal or a page that is too large."""
    with client.stream("GET", url) as response:
        if response.status_code != 200:
            raise ValueError("refused")
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            if len(body) > MAX_BYTES:
                raise ValueError("too large")
    text = body.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


def root_of(base_url: str) -> str:
    """Where the engine's own pages are: the base URL without the path of its API."""
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/").removesuffix("/v1")
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))
