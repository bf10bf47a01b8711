"""Names and counts as outsiders write them: tidied for show, folded for comparison, made into slugs."""

from __future__ import annotations

import hashlib
import re
import unicodedata

LONGEST_PROVIDER_NAME = 120
LONGEST_MODEL_NAME = 200
INVISIBLE = dict.fromkeys(
    [0x00AD, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF]
)
"""Zero-width and direction marks; the joiner of emoji sequences (U+200D) stays."""
MULTIPLES = {"k": 1000, "m": 1_000_000}
COUNT = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*([km]?)(?:\s*(?:tokens?|tok|ctx))?", re.IGNORECASE)


class BadName(ValueError):
    """The text is no name; says why."""


NOT_TEXT = ("Cc", "Cs")
"""Control characters, and lone surrogates, which no page or file can carry."""


def tidy_name(text: object, *, longest: int) -> str:
    """NFC, single blanks, no invisible or control characters. Raises BadName for an empty or endless one."""
    if not isinstance(text, str):
        raise BadName("The name is missing.")
    composed = unicodedata.normalize("NFC", text).translate(INVISIBLE)
    visible = "".join(c if c.isspace() or unicodedata.category(c) not in NOT_TEXT else "" for c in composed)
    name = " ".join(visible.split())
    if not name:
        raise BadName("The name is empty.")
    if len(name) > longest:
        raise BadName(f"The name has {len(name)} characters; {longest} are allowed.")
    return name


def fold_name(name: str) -> str:
    """The form in which two spellings of one name are equal: width, case and blanks do not matter."""
    folded = unicodedata.normalize("NFKC", name).translate(INVISIBLE).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def slug_of(name: str, *, longest: int = 63) -> str:
    """Lower-case letters, digits and hyphens; for a name without any, a short hash of it."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:longest].rstrip("-")
    if len(slug) >= 2:
        return slug
    return f"provider-{hashlib.sha256(fold_name(name).encode()).hexdigest()[:8]}"


def read_token_count(written: object) -> int | None:
    """128000, "128k" (thousands, not 1,024), "1M", "131,072 tokens"; None for what is no count above zero."""
    if isinstance(written, bool) or written is None:
        return None
    if isinstance(written, int | float):
        return int(written) if 0 < written < 2**31 else None
    found = COUNT.fullmatch(str(written).strip())
    if found is None:
        return None
    return read_token_count(float(found[1].replace(",", "")) * MULTIPLES.get(found[2].lower(), 1))
