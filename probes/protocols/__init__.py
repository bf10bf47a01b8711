"""The registry of API styles: one line each; their slugs and aliases are part of the published contract."""

from __future__ import annotations

from probes.endpoint import Endpoint
from probes.protocols.openai_chat import OPENAI_CHAT
from probes.protocols.protocol import Ask, CannotAskError, PreparedRequest, Protocol

PROTOCOLS: dict[str, Protocol] = {
    protocol.slug: protocol
    for protocol in (
        OPENAI_CHAT,
    )
}

ALIASES = {
    "anthropic": "anthropic-messages",
    "gemini": "gemini-generate-content",
    "gemini-generatecontent": "gemini-generate-content",
    "tgi": "openai-chat",
}


class UnknownProtocolError(CannotAskError):
    """The name is neither a slug nor an alias."""


def get_protocol(name: str) -> Protocol:
    """By slug or alias, in any case, with underscores for hyphens."""
    slug = name.strip().lower().replace("_", "-")
    slug = ALIASES.get(slug, slug)
    try:
        return PROTOCOLS[slug]
    except KeyError:
        known = ", ".join(PROTOCOLS)
        raise UnknownProtocolError(f"unknown protocol {name!r}: choose one of {known}") from None


def prepare(endpoint: Endpoint, ask: Ask) -> PreparedRequest:
    """The request for this endpoint. Raises CannotAskError with a sentence for the operator."""
    return get_protocol(endpoint.protocol).prepare(endpoint, ask)


__all__ = ["PROTOCOLS", "Ask", "CannotAskError", "PreparedRequest", "Protocol", "get_protocol", "prepare"]
