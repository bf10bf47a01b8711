"""The address a probe calls, and the limits it is held to.

A key travels in `api_key` alone, is left out of every repr and never reaches a result, a message or a log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an offering was found to accept; learned outside measured probes and remembered."""

    stream_options: bool = True
    output_limit_field: str = "max_tokens"
    temperature: bool = True
    continuous_usage: bool = False
    """vLLM and SGLang tell the cumulative count in every event when asked; others may refuse the option."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one probe: seconds for the waits, decoded bytes for the sizes."""

    first_token_s: float = 60.0
    idle_s: float = 30.0
    deadline_s: float = 180.0
    max_bytes: int = 16_000_000
    max_event_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how to ask: `base_url` ends before the protocol's own path (…/v1 for OpenAI-like ones)."""

    protocol: str
    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    region: str | None = None
    capabilities: Capabilities = field(default_factory=Capabilities)
    pinned_provider: str | None = None
    """For routers: the only provider that may answer; another one answering is `wrong_model`."""
    model_aliases: tuple[str, ...] = ()
    """Names under which the server may say it answered, besides `model` and its dated versions."""
    reasoning_effort: str | None = None
    """Part of the model's identity: asked for in the protocol's own words and never left out. None asks for nothing."""
    public_only: bool = False
    """True refuses private, loopback and link-local addresses, checked after name resolution."""
