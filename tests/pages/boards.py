"""Saved boards for page tests: each call says what it has, everything else is a fresh official row."""

from __future__ import annotations

from typing import Any

from leaderboard.catalogue.models import LanguageModel, Offering, Provider
from leaderboard.ranking.models import Snapshot, Summary
from tests.factories import make_model, make_offering, make_provider
from tests.ranking.factories import AS_OF, make_saved_snapshot, make_summary

__all__ = ["AS_OF", "make_row", "make_three_models"]


def make_row(
    snapshot: Snapshot,
    *,
    provider: Provider | None = None,
    model: LanguageModel | None = None,
    offering: dict[str, Any] | None = None,
    **summary: Any,
) -> Summary:
    provider, model = provider or make_provider(), model or make_model()
    fields = {"public_id": f"{provider.slug}~{model.slug.split('/')[1]}"} | (offering or {})
    sold: Offering = make_offering(provider=provider, model=model, **fields)
    return make_summary(snapshot, sold, **{"simulated": provider.simulated} | summary)


def make_three_models(*, simulated: bool = False, **summary: Any) -> Snapshot:
    """One provider; fast (900 tokens/s, 400 ms), soon (300, 100) and beaten (200, 500): two on the frontier."""
    snapshot = make_saved_snapshot()
    provider = make_provider(slug="acme", name="Acme", simulated=simulated)
    figures = {"fast": (900.0, 400.0, True), "soon": (300.0, 100.0, True), "beaten": (200.0, 500.0, False)}
    for name, (speed, ttft, on_frontier) in figures.items():
        make_row(
            snapshot,
            provider=provider,
            model=make_model(slug=f"maker/{name}", name=name.capitalize()),
            output_speed_tps_p50=speed,
            ttft_ms_p50=ttft,
            frontier_speed_ttft=on_frontier,
            dominated_by="" if on_frontier else "acme~fast",
            **summary,
        )
    return snapshot
