"""Template words of the self-hosted pages: form fields keep a number as it was typed."""

from __future__ import annotations

from typing import Any

from django import template

from leaderboard.pages import numbers

register = template.Library()


@register.filter
def plain(value: Any) -> str:
    """A number as a form field has it: no groups, no trailing zeros; empty for none."""
    return "" if value is None else numbers.published(value, "usd")


@register.filter
def item(mapping: Any, key: str) -> Any:
    """What a mapping has under a key that is no name."""
    return mapping.get(key)
