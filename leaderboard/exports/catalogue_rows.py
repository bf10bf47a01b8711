"""Rows of the reference tables, with what only a query can say beside the stored fields. Retired rows included."""

from __future__ import annotations

import datetime as dt

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Least

from leaderboard.catalogue.models import LanguageModel, Offering, Price, ProbeState, Provider

DEFAULT_INTERVAL_S = 10_800


def provider_rows() -> QuerySet[Provider]:
    """One query; `models_served` counts active offerings."""
    active = Count("offerings", filter=Q(offerings__probe_state=ProbeState.ACTIVE))
    return Provider.objects.annotate(models_served=active).order_by("slug")


def model_rows() -> QuerySet[LanguageModel]:
    """One query; a model is simulated where nothing but the demo lab serves it."""
    offerings = Offering.objects.filter(model=OuterRef("pk"))
    simulated = Exists(offerings.filter(provider__simulated=True)) & ~Exists(
        offerings.filter(provider__simulated=False)
    )
    return (
        LanguageModel.objects.annotate(simulated=simulated).select_related("superseded_by").order_by("slug")
    )


def offering_rows() -> QuerySet[Offering]:
    return Offering.objects.select_related("provider", "model").order_by("public_id")


def price_rows() -> QuerySet[Price]:
    """One query; `ends_at` is where the offering's next price list begins, or the announced end if that is sooner."""
    following = Price.objects.filter(
        offering=OuterRef("offering"), valid_from__gt=OuterRef("valid_from")
    ).order_by("valid_from")
    return (
        Price.objects.annotate(follower=Subquery(following.values("valid_from")[:1]))
        .annotate(ends_at=Least("valid_to", "follower"))
        .select_related("offering__provider")
        .order_by("offering__public_id", "valid_from", "context_above_tokens", "hours_utc", "weekdays")
    )


def intervals_s() -> dict[str, int]:
    """Seconds between probes, of the offerings where they are not the default; freshness hangs on them."""
    return dict(
        Offering.objects.exclude(interval_s=DEFAULT_INTERVAL_S)
        .order_by("public_id")
        .values_list("public_id", "interval_s")
    )


CATALOGUE_VERSION = """
select
    (select count(*) || '/' || coalesce(max(updated_at), 'epoch') from catalogue_provider) || ' ' ||
    (select count(*) || '/' || coalesce(max(updated_at), 'epoch') from catalogue_languagemodel) || ' ' ||
    (select count(*) || '/' || coalesce(max(updated_at), 'epoch') || '/' || coalesce(max(last_ok_at), 'epoch')
        from catalogue_offering) || ' ' ||
    (select count(*) || '/' || coalesce(max(id), 0) || '/' || coalesce(max(verified_at), 'epoch')
        from catalogue_price),
    greatest(
        (select max(updated_at) from catalogue_provider),
        (select max(updated_at) from catalogue_languagemodel),
        (select max(updated_at) from catalogue_offering),
        (select max(verified_at) from catalogue_price)
    )
"""


def catalogue_version() -> tuple[str, dt.datetime | None]:
    """A text that changes with any row of the catalogue, and when it last did; one query."""
    with connection.cursor() as cursor:
        cursor.execute(CATALOGUE_VERSION)
        row = cursor.fetchone()
    return str(row[0]), row[1]
