"""What a page's head says to whoever passes it on: its title and description twice, its picture, its oEmbed answer."""

from __future__ import annotations

from django import template
from django.template import Context
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from leaderboard.pages.sharing import card_path, embedding_page_of, oembed_path

register = template.Library()


SITE = " · Provider Leaderboard"


@register.simple_block_tag(takes_context=True)
def titled(context: Context, content: str) -> SafeString:
    """The page's title, for its tab and for a card, with the prompts its figures are of; the text was escaped."""
    text = content.strip()
    board = context.get("board")
    if board is not None and board.rows:
        page, is_inner, _ = text.partition(SITE)
        text = f"{page}, {conditional_escape(board.group.workload)} prompts" + SITE * bool(is_inner)
    quoted = text.replace('"', "&quot;")
    return mark_safe(  # noqa: S308
        f'<title>{text}</title>\n<meta property="og:title" content="{quoted}">'
    )


@register.simple_block_tag
def described(content: str) -> SafeString:
    quoted = content.strip().replace('"', "&quot;")
    return mark_safe(  # noqa: S308
        f'<meta name="description" content="{quoted}">\n<meta property="og:description" content="{quoted}">'
    )


@register.simple_tag(takes_context=True)
def share_links(context: Context) -> SafeString:
    """The card's picture and, for a page with a chart, where its oEmbed answer is; nothing of a page in error."""
    request, origin = context.get("request"), str(context.get("origin", ""))
    if request is None or not origin or request.resolver_match is None:
        return mark_safe("")
    filters = context.get("filters")
    query = filters.canonical_query() if filters else ""
    address = origin + request.path + (f"?{query}" if query else "")
    links = format_html(
        '<meta property="og:url" content="{}">\n<meta property="og:image" content="{}">\n'
        '<meta property="og:image:width" content="1200">\n<meta property="og:image:height" content="630">\n'
        '<meta property="og:image:alt" content="{}">\n<meta name="twitter:card" content="summary_large_image">',
        address,
        origin + card_path(request.path),
        "The page’s main figures, with the time they are as of.",
    )
    if answer := oembed_path(address):
        links += format_html(
            '\n<link rel="alternate" type="application/json+oembed" title="The page’s chart" href="{}">',
            origin + answer,
        )
    return links


@register.filter
def embedding_page(svg: str) -> str:
    """Where it says how to embed the chart of that file; empty where it cannot be."""
    return embedding_page_of(str(svg))
