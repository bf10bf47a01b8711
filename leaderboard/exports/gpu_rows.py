"""Rows of the tables of own GPUs: what sweeps of public deployments measured."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from django.db.models import OuterRef, QuerySet, Subquery

from leaderboard.measurements.models import Sweep, SweepSample
from leaderboard.ranking import endpoints
from leaderboard.ranking.endpoints import GpuEndpointRow

A_MOMENT = dt.timedelta(seconds=1)
"""Links name a sweep to the second; no endpoint is swept twice within one."""


def gpu_endpoint_rows() -> Iterable[GpuEndpointRow]:
    """Two queries. Levels that measured our own client instead of the endpoint are left out."""
    return endpoints.gpu_endpoint_rows()


def gpu_level_rows() -> Iterable[GpuEndpointRow]:
    """Two queries. Every level that was kept, those left out of gpu_endpoints with their reason."""
    return endpoints.gpu_endpoint_rows(with_excluded=True)


def gpu_sample_rows() -> Iterable[SweepSample]:
    """One query. The requests of each endpoint's newest sweep; those of older ones are asked for by endpoint."""
    newest = Sweep.objects.filter(deployment=OuterRef("level__sweep__deployment")).order_by("-measured_at")
    return public_requests().filter(level__sweep=Subquery(newest.values("pk")[:1])).iterator()


def requests_of(endpoint_id: str, measured_at: dt.datetime | None) -> QuerySet[SweepSample]:
    """Those of one sweep of an endpoint, the newest where none is named; two queries."""
    sweeps = Sweep.objects.filter(deployment__endpoint_id=endpoint_id)
    if measured_at is not None:
        sweeps = sweeps.filter(measured_at__gte=measured_at, measured_at__lt=measured_at + A_MOMENT)
    newest = sweeps.order_by("-measured_at").values_list("pk", flat=True).first()
    return public_requests().filter(level__sweep=newest)


def public_requests() -> QuerySet[SweepSample]:
    return (
        SweepSample.objects.filter(level__sweep__deployment__is_public=True)
        .select_related("level__sweep__deployment__offering__provider")
        .order_by(
            "level__sweep__deployment__endpoint_id",
            "level__sweep__measured_at",
            "level__concurrency",
            "sequence",
        )
    )
