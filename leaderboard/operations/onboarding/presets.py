"""What most endpoints of a kind have in common, filled in where the form leaves it empty."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaderboard.catalogue.models import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    slug: str
    label: str
    protocol: str
    hint: str
    """An address of the usual form."""
    kind: str = ""
    """Empty: told by the address."""
    capabilities: dict[str, bool] = field(default_factory=dict)


PRESETS = {
    preset.slug: preset
    for preset in (
        Preset(
            slug="openai",
            label="OpenAI-compatible",
            protocol="openai-chat",
            hint="https://api.example.com/v1",
        ),
        Preset(
            slug="anthropic",
            label="Anthropic-style",
            protocol="anthropic-messages",
            hint="https://api.example.com",
        ),
        Preset(
            slug="vllm",
            label="vLLM",
            protocol="openai-chat",
            hint="http://127.0.0.1:8000/v1",
            kind=Provider.Kind.SELF_HOSTED,
            capabilities={"continuous_usage": True},
        ),
        Preset(
            slug="sglang",
            label="SGLang",
            protocol="openai-chat",
            hint="http://127.0.0.1:30000/v1",
            kind=Provider.Kind.SELF_HOSTED,
            capabilities={"continuous_usage": True},
        ),
        Preset(
            slug="llama-cpp",
            label="llama.cpp",
            protocol="openai-chat",
            hint="http://127.0.0.1:8080/v1",
            kind=Provider.Kind.SELF_HOSTED,
        ),
        Preset(
            slug="gemini",
            label="Gemini-style",
            protocol="gemini-generate-content",
            hint="https://generativelanguage.googleapis.com",
        ),
        Preset(
            slug="ollama",
            label="Ollama",
            protocol="ollama",
            hint="http://127.0.0.1:11434",
            kind=Provider.Kind.SELF_HOSTED,
        ),
    )
}
