"""daily.csv again, from samples."""

from __future__ import annotations

from .reading import Published

DAILY_KEY = ("day", "offering_id", "probe_location", "workload", "methodology_version")


def recomputed_days(published: Published) -> dict[tuple[str, ...], dict[str, str]]:
    """The cells of every day's row by key."""
    return {}
