"""The command itself: read, recompute, compare, say what differs."""

from __future__ import annotations

from collections.abc import Callable

from .comparing import compare
from .reading import CannotRead, read_published

SHOWN = 50


def run(place: str, say: Callable[[str], object]) -> int:
    """0 where every digit agrees, 1 with the differences, 2 where a file cannot be read."""
    try:
        published = read_published(place)
    except CannotRead as problem:
        say(str(problem))
        return 2
    outcome = compare(published)
    for difference in outcome.differences[:SHOWN]:
        say(str(difference))
    if len(outcome.differences) > SHOWN:
        say(f"… and {len(outcome.differences) - SHOWN} more")
    samples = len(published.samples) + len(published.gpu_samples)
    say(
        f"{outcome.rows} rows and {outcome.cells} figures recomputed from {samples} samples: "
        f"{len(outcome.differences) or 'no'} differences"
    )
    return 1 if outcome.differences else 0
