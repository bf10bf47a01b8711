from __future__ import annotations

import datetime as dt

from django import template

from leaderboard.operations.demo import is_demo_running
from leaderboard.operations.onboarding.attention import Item, attention

register = template.Library()


@register.simple_tag
def needs_attention() -> list[Item]:
    return attention(dt.datetime.now(dt.UTC))


@register.simple_tag
def demo_runs() -> bool:
    return is_demo_running()
