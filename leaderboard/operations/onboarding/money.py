"""What probing costs, by provider and day, and where price sources disagree: pages and files for the operator."""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Iterable
from decimal import Decimal

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.catalogue.agreement import agreement_by_pair, price_agreement
from leaderboard.catalogue.budgets import pause_sentence
from leaderboard.catalogue.models import Provider
from leaderboard.catalogue.review import the_board
from leaderboard.measurements.spending import DaySpending, spending_by_day, spent_today

DAYS_SHOWN = 35
MOST_DISAGREEMENTS = 500
SPENDING_COLUMNS = ("day", "provider_id", "provider_name", "probes", "unpriced_probes", "cost_usd")


def refuse_without_view(request: HttpRequest) -> None:
    if not request.user.has_perm("catalogue.view_provider"):
        raise PermissionDenied


@never_cache
@require_safe
def spending(request: HttpRequest) -> HttpResponse:
    refuse_without_view(request)
    now = dt.datetime.now(dt.UTC)
    context = {
        **admin.site.each_context(request),
        "title": "Spending",
        "rows": spending_by_day(now, days=DAYS_SHOWN),
        "days": DAYS_SHOWN,
        "board": the_board(),
        "pauses": pauses(now),
    }
    return TemplateResponse(request, "admin/money/spending.html", context)


def pauses(now: dt.datetime) -> list[str]:
    """A sentence for each provider that rests because a cap is reached."""
    spent = spent_today(now)
    board, total = the_board(), sum(spent.values(), Decimal(0))
    providers = Provider.objects.filter(pk__in=spent).order_by("name")
    said = [pause_sentence(p, board, spent_usd=spent[p.pk], spent_by_all_usd=total) for p in providers]
    return list(dict.fromkeys(sentence for sentence in said if sentence))


@never_cache
@require_safe
def spending_csv(request: HttpRequest) -> HttpResponse:
    refuse_without_view(request)
    answer = HttpResponse(content_type="text/csv; charset=utf-8; header=present")
    answer["Content-Disposition"] = 'attachment; filename="spending.csv"'
    write_spending(answer, spending_by_day(dt.datetime.now(dt.UTC), days=DAYS_SHOWN))
    return answer


def write_spending(file: HttpResponse, rows: Iterable[DaySpending]) -> None:
    """RFC 4180; the names of providers that could run as formulas get an apostrophe."""
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(SPENDING_COLUMNS)
    for row in rows:
        name = f"'{row.provider_name}" if row.provider_name[:1] in "=+-@\t\r" else row.provider_name
        writer.writerow(
            [row.day.isoformat(), row.provider_id, name, row.probes, row.unpriced, f"{row.usd.normalize():f}"]
        )


@never_cache
@require_safe
def agreement(request: HttpRequest) -> HttpResponse:
    refuse_without_view(request)
    found = price_agreement()
    context = {
        **admin.site.each_context(request),
        "title": "Price agreement",
        "found": found,
        "pairs": agreement_by_pair(),
        "shown": found.disagreements[:MOST_DISAGREEMENTS],
    }
    return TemplateResponse(request, "admin/money/agreement.html", context)
