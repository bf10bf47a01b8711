"""Which results are kept but stay out of aggregates, and why; the first reason that applies is the one told."""

from __future__ import annotations

from probes.endpoint import Endpoint
from probes.events import Usage
from probes.exchange import Exchange
from probes.metrics import Exclusion, speed_exclusion
from probes.served import is_same_model, is_same_provider
from probes.timeline import Timeline
from probes.token_counts import TokenCounts
from probes.transcript import Transcript

MAX_LAG_MS = 5.0
MIN_CACHED_TOKENS = 64
MIN_CACHED_SHARE = 0.05


def find_exclusion(
    exchange: Exchange,
    transcript: Transcript,
    timeline: Timeline,
    counts: TokenCounts,
    *,
    endpoint: Endpoint,
    is_ok: bool,
    expects_cache: bool = False,
) -> Exclusion | None:
    if exchange.clock_stepped:
        return Exclusion("clock_fault", "all")
    if is_probe_late(exchange):
        return Exclusion("probe_fault", "all")
    if not is_ok:
        return None
    if is_wrong_model(endpoint, transcript):
        return Exclusion("wrong_model", "all")
    if is_cache_hit(transcript.usage) and not expects_cache:
        return Exclusion("cache_hit", "all")
    return speed_exclusion(timeline, counts)


def is_probe_late(exchange: Exchange) -> bool:
    """Kernel stamps do not care how late our own event loop was."""
    lag_ms = exchange.client_lag_ms
    return lag_ms is not None and lag_ms > MAX_LAG_MS and not exchange.kernel_stamped


def is_wrong_model(endpoint: Endpoint, transcript: Transcript) -> bool:
    """Another model, or behind a router another provider than the pinned one. What is not told is not doubted."""
    served, provider = transcript.served_model, transcript.served_provider
    if served and not is_same_model(endpoint.model, served, endpoint.model_aliases):
        return True
    pinned = endpoint.pinned_provider
    return bool(pinned and provider and not is_same_provider(pinned, provider))


def is_cache_hit(usage: Usage | None) -> bool:
    """More cached input than a chat template's prefix explains."""
    if usage is None or not usage.cached_input_tokens:
        return False
    cached = usage.cached_input_tokens
    total = (usage.input_tokens or 0) + (cached if usage.input_excludes_cache else 0)
    return cached > max(MIN_CACHED_TOKENS, MIN_CACHED_SHARE * total)
