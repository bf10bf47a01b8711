from __future__ import annotations

import datetime as dt

from django import template

from leaderboard.operations.onboarding.attention import Item, attention

register = template.Library()


@register.simple_tag
def needs_attention() -> list[Item]:
    return attention(dt.datetime.now(dt.UTC))
