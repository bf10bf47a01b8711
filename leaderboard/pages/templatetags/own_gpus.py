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


@register.filter
def level_figure(value: float | None, unit: str) -> str:
    """A figure of a level by its unit: gaps and waits under 100 ms with a decimal, else whole; a dash for none."""
    if value is None:
        return "–"
    if unit == "ms" and value < 100:
        return f"{value:,.1f}"
    return numbers.whole(value)
