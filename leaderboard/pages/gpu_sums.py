"""The arithmetic of the “which GPU” table, with its numbers filled in."""

from __future__ import annotations

from decimal import Decimal

from leaderboard.catalogue.candidates import Candidate

USABLE = Decimal("0.9")


def memory_sum(candidate: Candidate) -> str:
    """Weights and cache against the usable memory, with the numbers filled in."""
    fit, gpu = candidate.fit, candidate.gpu
    cache = "cache unknown" if fit.cache_gib is None else f"{fit.cache_gib:,.1f} cache"
    return (
        f"{fit.weights_gib:,.1f} weights + {cache} = {fit.needed_gib:,.1f} of {fit.usable_gib:,.1f} GiB "
        f"({candidate.count} × {gpu.memory_gib or 0:,.0f} × {USABLE})"
    )


def speed_sum(candidate: Candidate) -> str:
    """Bandwidth over the bytes read for a token; empty where the bandwidth is unknown."""
    bound, bandwidth = candidate.fit.speed_bound_tps, candidate.gpu.bandwidth_gb_per_s
    if bound is None or bandwidth is None:
        return ""
    read = candidate.count * bandwidth / bound
    return f"{candidate.count} × {bandwidth:,.0f} GB/s ÷ {read:,.1f} GB a token"
