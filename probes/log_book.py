"""A harbour's log book of any length: readable, the same for ever, and nobody else's text.

Entries are drawn from the lists in `prompts/log-book.txt` by the digits of a SHA-256, so that no version of a random
generator can change a published prompt.
"""

from __future__ import annotations

import hashlib
from importlib import resources

SEASONS = ("spring", "summer", "autumn", "winter")


def read_prompt(name: str) -> str:
    """A file of `prompts/`, without the blank at its ends."""
    return resources.files("probes").joinpath("prompts", name).read_text(encoding="utf-8").strip()


def write_log_book(entries: int, seed: str) -> str:
    """`entries` numbered paragraphs."""
    lists = _read_lists(read_prompt("log-book.txt"))
    return "\n\n".join(_write_entry(number, seed, lists) for number in range(1, entries + 1))


def _read_lists(text: str) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            lists[name] = []
        elif line and not line.startswith("#"):
            lists[name].append(line)
    return lists


def _write_entry(number: int, seed: str, lists: dict[str, list[str]]) -> str:
    digest = hashlib.sha256(f"{seed}:{number}".encode()).digest()
    ship, home, goods, weather, trouble, keeper, remark = (
        words[digest[position] % len(words)] for position, words in enumerate(lists.values())
    )
    day, season, count = digest[7] % 90 + 1, SEASONS[digest[8] % 4], digest[9] % 180 + 12
    return (
        f"Entry {number}. Day {day} of {season}, with {weather}. In came {ship} from {home}, carrying {count} {goods}."
        f" While she was unloaded, {trouble}. The keeper on watch, {keeper}, {remark}."
    )
