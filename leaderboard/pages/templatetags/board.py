"""Template words for numbers, times, sort headers and pictures. Formatting lives here and nowhere else."""

from __future__ import annotations

import datetime as dt
from operator import itemgetter
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from leaderboard.charts.pictures import Picture, with_origin
from leaderboard.pages import numbers
from leaderboard.pages.sentences import event_sentence
from leaderboard.ranking.definitions import Definition, Key, Move, key
from leaderboard.ranking.filters import DEFAULTS, ROW_FILTERS, Filters
from leaderboard.ranking.groups import ModelRow
from leaderboard.ranking.models import Event
from leaderboard.ranking.rows import LeaderboardRow

register = template.Library()

UNKNOWN = mark_safe('<span class="unknown" aria-label="unknown" role="img">–</span>')
# A template hands on an empty text where a name leads nowhere.
NOTHING: tuple[object, ...] = ("",)
HIGHEST_FIRST = frozenset(
    {
        "output_speed_tps_p50", "slowest_tps", "fastest_tps", "success_rate", "uptime", "samples_ok", "samples",
        "offerings", "providers", "models_served", "last_ok_at", "like_for_like_speed", "context_tokens",
        "released_on", "frontier_speed_ttft", "output_speed_tps_p05", "speed_samples", "ttft_samples",
    }
)  # fmt: skip


@register.filter
def speed(value: float | None) -> str:
    return UNKNOWN if value is None or value in NOTHING else numbers.whole(value)


@register.filter
def ms(value: float | None) -> str:
    return UNKNOWN if value is None or value in NOTHING else numbers.whole(value)


@register.filter
def usd(value: Any) -> str:
    """Unknown, free and cheap look different."""
    if value is None or value in NOTHING:
        return UNKNOWN
    return "free" if value == 0 else numbers.money(value)


@register.filter
def percent(value: float | None) -> str:
    return UNKNOWN if value is None or value in NOTHING else numbers.percent(value)


@register.filter
def ratio(value: float | None) -> str:
    return UNKNOWN if value is None or value in NOTHING else f"{value:.2f}"


@register.filter
def count(value: int | None) -> str:
    return UNKNOWN if value is None or value in NOTHING else f"{value:,}"


@register.filter
def half_width(row: Any) -> str:
    """Half of the 95 % interval of the median speed, the ± beside it; unknown below six samples."""
    low, high = row.output_speed_tps_p50_low, row.output_speed_tps_p50_high
    return UNKNOWN if low is None or high is None else numbers.whole((high - low) / 2)


@register.filter
def exact(value: Any, kind: str) -> str:
    """The value as the files have it; kinds are ms, tps, rate and usd."""
    return "" if value in NOTHING else numbers.published(value, kind)


@register.filter
def path(identifier: str) -> str:
    return quote(identifier, safe="/~")


@register.filter
def when(moment: dt.datetime | None) -> SafeString:
    if moment is None:
        return UNKNOWN
    return format_html('<time datetime="{}">{}</time>', numbers.instant_iso(moment), numbers.instant(moment))


@register.filter
def iso(moment: dt.datetime | None) -> str:
    return numbers.instant_iso(moment) if moment else ""


@register.filter
def day(moment: dt.date | None) -> SafeString:
    if moment is None:
        return UNKNOWN
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(), f"{moment.day} {moment:%b %Y}")


@register.filter
def ago(moment: dt.datetime | None, now: dt.datetime | None = None) -> SafeString:
    """A row's age in one unit, with the instant behind it."""
    if moment is None:
        return UNKNOWN
    words = numbers.age(moment, now or timezone.now())
    return format_html('<time datetime="{}">{} ago</time>', numbers.instant_iso(moment), words)


@register.filter
def words(value: str) -> str:
    """A stored choice as a reader sees it: self_hosted → self-hosted."""
    return {
        "self_hosted": "self-hosted",
        "first_party": "first party",
        "no_data": "no data",
        "ttft": "first token",
    }.get(value, value.replace("_", " "))


ACCOUNTS = {
    "standard_paid": "ours, at the standard price",
    "free_tier": "ours, on the free tier",
    "provider_granted": "granted by the provider",
    "operator_owned": "the operator’s own machines",
}


@register.filter
def account(kind: str) -> str:
    """Whose account and credits pay for the probes, in words."""
    return ACCOUNTS.get(kind, words(kind))


@register.simple_tag(takes_context=True)
def picture(context: Context, drawn: Picture) -> SafeString:
    """Both widths inline, links pointing at this origin; the text in them was escaped when they were drawn."""
    origin = str(context.get("origin", ""))
    wide, narrow = (with_origin(drawn.svgs[w], origin) for w in sorted(drawn.svgs, reverse=True))
    return mark_safe(f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>')  # noqa: S308


@register.simple_tag(takes_context=True)
def view_query(context: Context, **changes: Any) -> str:
    """The view's query with some values changed, with its question mark where there is one."""
    filters: Filters = context.get("filters") or Filters()
    pairs = parse_qsl(filters.changed(**changes).query()) + list(context.get("own_fields") or ())
    query = urlencode(sorted(pairs, key=itemgetter(0)))
    return f"?{query}" if query else ""


@register.simple_tag(takes_context=True)
def page_with_view(context: Context, page: str, **changes: Any) -> str:
    """Another page's address, looked at the same way."""
    return page + view_query(context, **changes)


@register.simple_tag(takes_context=True)
def query_without_filters(context: Context) -> str:
    """The view's query with every row let in again; how it is looked at stays."""
    return view_query(context, **{name: DEFAULTS[name] for name in ROW_FILTERS})


@register.simple_tag(takes_context=True)
def hidden_fields(context: Context, *asked: str) -> SafeString:
    """What the view's query says beyond the fields that the form itself asks: a form sends nothing else along."""
    filters: Filters = context.get("filters") or Filters()
    pairs = parse_qsl(filters.query(leave_out=("page",))) + list(context.get("own_fields") or ())
    kept = ((name, value) for name, value in pairs if name not in asked)
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', kept)


@register.simple_tag(takes_context=True)
def hidden_beside_filters(context: Context) -> SafeString:
    return hidden_fields(context, "window", *ROW_FILTERS)


@register.filter
def clock(text: str) -> str:
    """A stored instant's day and time to the second."""
    return text[:19].replace("T", " ")


@register.filter
def model_file(slug: str) -> str:
    return slug.rpartition("/")[2]


@register.filter
def event_words(event: Event) -> str:
    return event_sentence(event)


@register.filter
def is_announced(event: Event) -> bool:
    """A price may be published before it is in force."""
    return event.at > timezone.now()


@register.filter
def named(drawn: dict[str, Picture], name: str) -> Picture | None:
    """The picture of that chart, where there is one."""
    return drawn.get(name)


@register.filter
def of_id(found: dict[str, int | None], identifier: str) -> int | None:
    """What the page knows of that row beside its figures."""
    return found.get(identifier)


@register.filter
def shown(value: Any, kind: str) -> str:
    """A value by the kind of its column: tps, ms, rate, usd or count."""
    return {"tps": speed, "ms": ms, "rate": percent, "usd": usd, "count": count}[kind](value)


@register.filter
def move_of(moves: dict[Key, Move], row: LeaderboardRow | ModelRow) -> Move | None:
    """How that row's place moves; None where it is not ranked."""
    return moves.get(key(row))


@register.filter
def measure(row: LeaderboardRow | ModelRow, definition: Definition) -> float | None:
    """The row's value by that definition."""
    value: float | None = getattr(row, definition.column)
    return value


@register.filter
def places(move: Move | None) -> str:
    """Up and down in words and arrows, so that colour says nothing alone."""
    if move is None or move.places is None:
        return UNKNOWN
    if move.places == 0:
        return "same"
    return f"↑ {move.places}" if move.places > 0 else f"↓ {-move.places}"


@register.filter
def plus(number: int, more: int) -> int:
    return number + more


@register.simple_tag(takes_context=True)
def sort_th(context: Context, label: str, unit: str, column: str, extra: str = "") -> SafeString:
    """A sortable column head: a plain link, best first on the first click, the other way on the second."""
    filters: Filters = context.get("filters") or Filters()
    target = str(context.get("path", ""))
    current = str(context.get("sorted_by", "")) or filters.sort
    state = "none"
    wanted = f"-{column}" if column in HIGHEST_FIRST else column
    if current.removeprefix("-") == column:
        state = "descending" if current.startswith("-") else "ascending"
        wanted = column if current.startswith("-") else f"-{column}"
    arrow = {"none": "", "descending": "↓", "ascending": "↑"}[state]
    return format_html(
        '<th scope="col" aria-sort="{}" class="{}"><a href="{}{}">{}<span aria-hidden="true">{}</span></a>{}</th>',
        state,
        extra,
        target,
        view_query(context, sort=wanted),
        label,
        arrow,
        format_html(" <small>{}</small>", unit) if unit else "",
    )
