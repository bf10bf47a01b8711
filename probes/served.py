"""Whether the model that says it answered is the one that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable

DATED_VERSION = re.compile(
    r"(?:[-@:](?:\d{4}-\d{2}-\d{2}|\d{3,8}|v\d+(?:[.:]\d+)?|latest|(?:preview|exp)(?:-\d{2}-\d{2,4})?))+"
)
"""A release mark; one or two digits are none, since `-4` and `-4-5` are two models."""
ROUTE_SUFFIX = re.compile(r":(?:free|nitro|floor|online|extended|thinking|exacto)\Z")
REGION_PREFIX = re.compile(r"\A(?:us|eu|apac|global|us-gov|jp|au)\.")
VENDOR_PREFIX = re.compile(r"\A(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|qwen|openai|writer)\.")


def is_same_model(asked: str, served: str, aliases: Iterable[str] = ()) -> bool:
    """True for equal names, registered aliases, and the dated version that an undated name stands for."""
    served_name = _fold(served)
    return any(_stands_for(_fold(name), served_name) for name in (asked, *aliases))


def is_same_provider(asked: str, served: str) -> bool:
    """Compared by letters and digits: routers write one provider as a slug here and a name there."""
    return _letters(asked.partition("/")[0]) == _letters(served.partition("/")[0])


def _stands_for(asked: str, served: str) -> bool:
    shorter, longer = sorted((_drop_latest(asked), _drop_latest(served)), key=len)
    if not longer.startswith(shorter):
        return False
    rest = longer[len(shorter) :]
    return not rest or DATED_VERSION.fullmatch(rest) is not None


def _fold(name: str) -> str:
    """The last path segment in lower case, without routing, region and vendor marks."""
    folded = ROUTE_SUFFIX.sub("", name.strip().lower().rstrip("/").rpartition("/")[2])
    return VENDOR_PREFIX.sub("", REGION_PREFIX.sub("", folded))


def _drop_latest(name: str) -> str:
    return name.removesuffix("-latest").removesuffix(":latest")


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
