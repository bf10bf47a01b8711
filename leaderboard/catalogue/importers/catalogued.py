"""The offerings there are already, looked up in memory while many quotes are placed."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.catalogue.identity import offering_public_id
from leaderboard.catalogue.models import LanguageModel, Offering, Provider


class Catalogued:
    """The offerings there are, found by the seller's own name first and by identity then."""

    def __init__(self, offerings: Iterable[Offering]) -> None:
        self.by_name: dict[tuple[int, str], Offering] = {}
        self.by_identity: dict[tuple[int, int, str], Offering] = {}
        self.public_ids: set[str] = set()
        for offering in offerings:
            self.remember(offering)

    def remember(self, offering: Offering) -> None:
        self.by_name[(offering.provider_id, offering.provider_model_name.lower())] = offering
        self.by_identity[(offering.provider_id, offering.model_id, offering.variant)] = offering
        self.public_ids.add(offering.public_id)

    def find(self, provider: Provider, name: str, model: LanguageModel, variant: str) -> Offering | None:
        by_name = self.by_name.get((provider.pk, name.lower()))
        return by_name or self.by_identity.get((provider.pk, model.pk, variant))

    def add(self, offering: Offering) -> Offering:
        """Give it an id that no other has or had."""
        for with_creator in (False, True):
            offering.public_id = offering_public_id(
                offering.provider.slug, offering.model.slug, offering.variant, with_creator=with_creator
            )
            if offering.public_id not in self.public_ids:
                break
        self.remember(offering)
        return offering
