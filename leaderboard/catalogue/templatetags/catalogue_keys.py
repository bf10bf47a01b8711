"""What templates may say of a key: where it comes from, never what it is."""

from __future__ import annotations

from django import template

from leaderboard.catalogue.credentials import describe_key
from leaderboard.catalogue.models import Provider

register = template.Library()


@register.filter
def key_state(provider: Provider) -> str:
    return describe_key(provider)
