from __future__ import annotations

import datetime as dt

from django import template
from django.template import Context

from leaderboard.operations.demo import is_demo_running
from leaderboard.operations.offers import Offer, engine_offers, key_offers
from leaderboard.operations.onboarding.attention import Item, attention

register = template.Library()


@register.simple_tag
def needs_attention() -> list[Item]:
    return attention(dt.datetime.now(dt.UTC))


@register.simple_tag(takes_context=True)
def offers(context: Context) -> list[Offer]:
    """What could be measured at once; this board's own port is no engine."""
    own_port = int(context["request"].get_port())
    return [*key_offers(dt.datetime.now(dt.UTC)), *engine_offers(leave_out=[own_port])]


@register.simple_tag
def demo_runs() -> bool:
    return is_demo_running()
