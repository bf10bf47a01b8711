"""Rows of gpu_endpoints: what sweeps of public deployments measured, every sweep that was kept."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.ranking import endpoints
from leaderboard.ranking.endpoints import GpuEndpointRow


def gpu_endpoint_rows() -> Iterable[GpuEndpointRow]:
    """One query. Levels that measured our own client instead of the endpoint are left out."""
    return endpoints.gpu_endpoint_rows()
