"""The registry of API styles: one line each; their slugs and aliases are part of the published contract."""

from __future__ import annotations

from probes.endpoint import Endpoint
from probes.protocols.anthropic_messages import ANTHROPIC_MESSAGES
from probes.protocols.bedrock_converse import BEDROCK_CONVERSE
from probes.protocols.bedrock_invoke import BEDROCK_INVOKE
from probes.protocols.cohere_v1 import COHERE_V1
from probes.protocols.cohere_v2 import COHERE_V2
from probes.protocols.gemini_generate_content import GEMINI_GENERATE_CONTENT
from probes.protocols.gemini_interactions import GEMINI_INTERACTIONS
from probes.protocols.ollama import OLLAMA
from probes.protocols.openai_chat import OPENAI_CHAT
from probes.protocols.openai_completions import OPENAI_COMPLETIONS
from probes.protocols.openai_responses import OPENAI_RESPONSES
from probes.protocols.protocol import Ask, CannotAskError, PreparedRequest, Protocol
from probes.protocols.replicate import REPLICATE
from probes.protocols.watsonx import WATSONX
from probes.protocols.writer import WRITER

PROTOCOLS: dict[str, Protocol] = {
    protocol.slug: protocol
    for protocol in (
        OPENAI_CHAT,
        OPENAI_RESPONSES,
        OPENAI_COMPLETIONS,
        ANTHROPIC_MESSAGES,
        GEMINI_GENERATE_CONTENT,
        GEMINI_INTERACTIONS,
        COHERE_V1,
        COHERE_V2,
        BEDROCK_CONVERSE,
        BEDROCK_INVOKE,
        OLLAMA,
        REPLICATE,
        WATSONX,
        WRITER,
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
