"""Uptime and success rate: one formula everywhere, from the outcomes alone, so that published samples give it back."""

from __future__ import annotations

from collections.abc import Mapping

from probes.failures import FAULTS

OUTCOMES = ("ok", *FAULTS)
OUR_FAULT = frozenset(outcome for outcome, fault in FAULTS.items() if fault == "ours")
"""Outcomes whose fault is ours, a wrong catalogue included; they never count against a provider."""
DOWN = frozenset({"server_error", "timeout", "stream_broken", "empty"})


def uptime(outcomes: Mapping[str, int]) -> float | None:
    """ok / (ok + server_error + timeout + stream_broken + empty); None where there was none of these."""
    ok = outcomes.get("ok", 0)
    return share(ok, ok + sum(outcomes.get(outcome, 0) for outcome in DOWN))


def success_rate(outcomes: Mapping[str, int]) -> float | None:
    """ok / all attempts whose fault was not ours; None where there was no such attempt."""
    attempts = sum(count for outcome, count in outcomes.items() if outcome not in OUR_FAULT)
    return share(outcomes.get("ok", 0), attempts)


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
