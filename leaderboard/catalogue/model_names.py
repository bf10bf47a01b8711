"""A seller's name of a model → whose model it is, under one identity, and what of the name is the offering's.

`accounts/fireworks/models/gpt-oss-120b`, `openai.gpt-oss-120b-1:0` and `@cf/openai/gpt-oss-120b` are one model.
`:free`, `-fp8`, `-turbo` or a region belong to the offering; a reasoning effort belongs to the model. A name
that shows no maker is not guessed: it has no identity and is counted by whoever asked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CREATORS_FILE = Path(__file__).with_name("creators.toml")
LONGEST_SLUG = 95
EFFORTS = ("minimal", "low", "medium", "high")
MAKERS_OF_EFFORTS = ("openai", "xai")

WRAPPERS = frozenset(
    [
        "accounts",
        "models",
        "fireworks",
        "workers-ai",
        "@cf",
        "publishers",
        "completion",
        "openrouter",
        "hf",
        "foundation-model",
        "hf-inference",
        "serverless",
        "community",
        "main",
        "gateway",
    ]
)
CHANNELS = ("tee", "pro", "stealth")
"""First segments of a path that name a way of serving and no maker."""
REGIONS = ("us", "eu", "apac", "global", "regional", "jp", "au", "ca", "us-gov")
QUANTIZATIONS = {
    "fp8": "fp8",
    "fp8-dynamic": "fp8",
    "fp16": "fp16",
    "bf16": "bf16",
    "fp4": "fp4",
    "nvfp4": "fp4",
    "mxfp4": "mxfp4",
    "int8": "int8",
    "w8a8": "int8",
    "int4": "int4",
    "4bit": "int4",
    "awq": "int4",
    "awq-4bit": "int4",
    "gptq": "int4",
    "w4a16": "int4",
    "gguf": "other",
    "q4": "int4",
    "q8": "int8",
}
ALWAYS_VARIANTS = ("free", "original", "cheaper", "highspeed", "tee", "batch", "non-reasoning", "extended")
VARIANT_TAILS = (
    *ALWAYS_VARIANTS,
    "high-throughput",
    "cs",
    "fw",
    "turbo",
    "fast",
    "ultrafast",
    "lite",
    "lightning",
    "us",
    "eu",
)
"""Tails that name a way of serving where they follow a size, a release or a known open model."""
FOLLOWS_RELEASE = re.compile(
    r"(\d+b(-a\d+b)?|-it|instruct(-\d{4})?|-r1(-\d{4})?|deepseek-v[\d.]+(-flash|-pro|-exp|-terminus)?(-\d{4})?"
    r"|kimi-k[\d.]+(-thinking|-code|-pro)?(-\d{4})?|glm-[\d.]+v?(-air|-flash)?|minimax-m[\d.]+|ultramarine-[\d.]+-flash)$"
)
DATE_TAIL = re.compile(r"[-@](20\d{2})-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])$")
NOT_CHAT = re.compile(
    r"embed|rerank|whisper|(^|[-/.])tts|transcri|moderation|dall-?e|[-/]image|imagen|stable-diffusion|flux|(^|[-/])ocr|ocr[-$]"
    r"|voyage|(^|[/-])(bge|gte|e5|minilm|m2-bert)(-|$)|sora|veo-|speech|(^|[-/])audio|realtime|(^|-)live(-|$)|voice|banana"
    r"|bert|colbert|translat|indictrans|detr|resnet|lyria|suno|kling|seedream|seedance|wan-?2|hailuo|orpheus|aura|melotts"
    r"|safeguard|llama-guard|prompt-guard|shieldgemma|content-safety|search-(api|preview)|deep-?research|ocr$|parse$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Creator:
    slug: str
    name: str
    weights: str
    prefixes: tuple[str, ...]
    families: tuple[re.Pattern[str], ...]
    open: tuple[re.Pattern[str], ...]
    proprietary: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelIdentity:
    """Whose model a name means, and what the name says of the offering."""

    slug: str
    creator: str
    weights: str
    reasoning_effort: str = ""
    variant: str = ""
    quantization: str = ""
    """Empty where the name does not tell."""
    region: str = ""


@cache
def creators() -> tuple[Creator, ...]:
    with CREATORS_FILE.open("rb") as file:
        written = tomllib.load(file)
    return tuple(
        Creator(
            slug=entry["slug"],
            name=entry["name"],
            weights=entry["weights"],
            prefixes=(entry["slug"], *entry.get("prefixes", ())),
            families=patterns(entry, "families"),
            open=patterns(entry, "open"),
            proprietary=patterns(entry, "proprietary"),
        )
        for entry in written["creator"]
    )


def patterns(entry: Mapping[str, list[str]], key: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(text) for text in entry.get(key, ()))


@cache
def aliases() -> Mapping[str, str]:
    with CREATORS_FILE.open("rb") as file:
        found: Mapping[str, str] = tomllib.load(file)["aliases"]
    return found


@cache
def creators_by_prefix() -> Mapping[str, Creator]:
    return {prefix: creator for creator in creators() for prefix in creator.prefixes}


def is_chat_name(name: str) -> bool:
    """Whether a name does not say that it embeds, ranks, draws, speaks or guards instead of answering in text."""
    return not NOT_CHAT.search(name)


@cache
def identify(name: str, *, seller_is_maker: str = "") -> ModelIdentity | None:
    """The identity behind a seller's name; None where no maker shows.

    `seller_is_maker` is the slug of a first-party seller: a name without another maker is then its own.
    """
    text, variants = cut_colon(name.strip().lower().replace(" ", "-").removeprefix("hf:"))
    for channel in CHANNELS:
        if text.startswith(f"{channel}/"):
            text = text.removeprefix(f"{channel}/")
            variants.insert(0, channel)
    prefix, base, region = cut_prefix(text)
    base = tidy_versions(base)
    base, quantization, tails = cut_tails(base)
    creator = creators_by_prefix().get(prefix) if prefix else None
    base, creator = cut_creator_from_name(base, creator)
    creator = maker_of_family(base, stated=creator)
    base = aliases().get(base, base)
    variants += tails
    slug_of_maker = creator.slug if creator else slug_text(prefix) or seller_is_maker
    if not slug_of_maker or not re.match(r"[a-z0-9]", base):
        return None
    effort = effort_of(base, slug_of_maker)
    return ModelIdentity(
        slug=f"{slug_of_maker[:63]}/{base[:LONGEST_SLUG].rstrip('-.')}",
        creator=creator.name if creator else creator_name(slug_of_maker),
        weights=weights_of(base, creator, is_quantized=bool(quantization)),
        reasoning_effort=effort,
        variant="-".join(dict.fromkeys(variants)),
        quantization=quantization,
        region=region,
    )


def cut_colon(text: str) -> tuple[str, list[str]]:
    """`gpt-oss-120b:free` → its variant; `gpt-oss:120b` → a size; Bedrock's `-v1:0` → nothing."""
    text = re.sub(r"-(v\d+|\d+):\d+(:[a-z0-9]+)?$", "", text)
    head, colon, tail = text.rpartition(":")
    if not colon or head in ("ft",):
        return text, []
    if re.fullmatch(r"\d+(\.\d+)?[bm](-.*)?|[a-z]?\d+x\d+b.*", tail):
        return f"{head}-{tail}", []
    return head, [] if tail in ("latest", "cloud") else [slug_text(tail)]


def cut_prefix(text: str) -> tuple[str, str, str]:
    """The stated maker, the rest, and a region: from paths (`a/b`) and from Bedrock's dots (`us.meta.b`)."""
    segments = [s for s in text.strip("~/").split("/") if s and s not in WRAPPERS]
    base = segments[-1] if segments else ""
    prefix = next((s for s in reversed(segments[:-1]) if s in creators_by_prefix()), "")
    if not prefix and len(segments) == 2:
        prefix = segments[0]
    region = ""
    first, dot, rest = base.partition(".")
    if dot and first in REGIONS:
        region, base = ("" if first == "regional" else first), rest
        first, dot, rest = base.partition(".")
    if dot and not re.search(r"\d$", first) and first in creators_by_prefix():
        prefix, base = first, rest
    return prefix, base, region


def tidy_versions(base: str) -> str:
    """One way to write versions: `v3p1`, `3_1` and `3-1` are 3.1; `llama3.1` is llama-3.1, `qwen-3` is qwen3."""
    base = re.sub(r"(?<=\d)[p_](?=\d)", ".", base)
    base = re.sub(r"[^a-z0-9.@-]+", "-", base)
    base = re.sub(r"^(databricks|nvidia|sambanova|vultr|hf|venice|duo-chat)-(?=[a-z])", "", base)
    base = re.sub(r"(?<![\d.])([1-9]\d?)-([0-9])(?=$|-|@)(?!-\d{2}(-|$))", r"\1.\2", base)
    base = re.sub(r"^meta-(?=llama)", "", base)
    base = re.sub(r"^llama-?v(?=\d)", "llama-", base)
    base = re.sub(r"^(?=(opus|sonnet|haiku)-\d)", "claude-", base)
    base = re.sub(
        r"^(llama|gemma|phi|glm|claude|grok|command|granite|falcon|olmo|minimax-m|ernie)-?(?=\d)",
        r"\1-",
        base,
    )
    base = base.replace("minimax-m-", "minimax-m")
    base = re.sub(r"^qwen-(?=\d)", "qwen", base)
    base = re.sub(r"^(qwen\d(?:\.\d)?)-?(coder|vl|math|omni|next)-?(?=\d)", r"\1-\2-", base)
    base = re.sub(r"^claude-([4-9](?:\.\d+)?)-(opus|sonnet|haiku|fable|mythos)", r"claude-\2-\1", base)
    base = re.sub(r"^claude-(opus|sonnet|haiku)-(3(?:\.\d)?)(?=$|-)", r"claude-\2-\1", base)
    base = re.sub(r"^claude-(opus|sonnet|haiku|fable|mythos)-(\d)\.0(?=$|-|@)", r"claude-\1-\2", base)
    return re.sub(r"-{2,}", "-", base).strip("-")


def cut_tails(base: str) -> tuple[str, str, list[str]]:
    """Take quantization, ways of serving, dates and decorations off the end, until none is left."""
    quantization = ""
    variants: list[str] = []
    while True:
        before = base
        base = re.sub(r"-(maas|latest|hf|cloud)$", "", base)
        base = re.sub(r"(?<=[a-z0-9])@(default|\d{3})$", "", base)
        for tail, meaning in QUANTIZATIONS.items():
            if base.endswith(f"-{tail}"):
                base, quantization = base.removesuffix(f"-{tail}"), quantization or meaning
                break
        for tail in VARIANT_TAILS:
            cut = base.removesuffix(f"-{tail}")
            if cut != base and (FOLLOWS_RELEASE.search(cut) or tail in ALWAYS_VARIANTS):
                if tail == "turbo" and base.startswith("glm-"):
                    continue
                base = cut
                variants.insert(0, tail)
                break
        date = DATE_TAIL.search(base)
        if date:
            base = base[: date.start()]
            variants.insert(0, "".join(date.groups()))
        if base == before:
            return base.replace("@", "-"), quantization, variants


def cut_creator_from_name(base: str, creator: Creator | None) -> tuple[str, Creator | None]:
    """`openai-gpt-oss-120b` → OpenAI's gpt-oss-120b, where what remains is one of its families."""
    for prefix, candidate in creators_by_prefix().items():
        rest = base.removeprefix(f"{prefix}-")
        if rest != base and any(family.match(rest) for family in candidate.families):
            return rest, candidate if creator is None else creator
    return base, creator


def maker_of_family(base: str, *, stated: Creator | None) -> Creator | None:
    """The maker whose family the name is. It wins over the stated one: sellers and quantizers put their own first."""
    if stated and any(family.match(base) for family in stated.families):
        return stated
    matching = [c for c in creators() if any(family.match(base) for family in c.families)]
    if stated and not any(
        c.slug in ("openai", "anthropic", "google", "zai", "deepseek", "qwen") for c in matching
    ):
        return stated
    return max(matching, key=lambda c: longest_match(c, base), default=stated)


def longest_match(creator: Creator, base: str) -> int:
    return max((found.end() for family in creator.families if (found := family.match(base))), default=0)


def weights_of(base: str, creator: Creator | None, *, is_quantized: bool) -> str:
    """Open or proprietary by family; an unknown maker's are open where the name gives a size or a quantization."""
    if creator is None:
        return "open" if is_quantized or re.search(r"(^|-)\d+(\.\d+)?b(-|$)", base) else "proprietary"
    if any(pattern.match(base) for pattern in creator.open):
        return "open"
    if any(pattern.match(base) for pattern in creator.proprietary):
        return "proprietary"
    return creator.weights


def effort_of(base: str, maker: str) -> str:
    tail = base.rpartition("-")[2]
    return tail if maker in MAKERS_OF_EFFORTS and tail in EFFORTS else ""


def slug_text(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")


def creator_name(slug: str) -> str:
    return slug.replace("-", " ").title() if slug.islower() else slug
