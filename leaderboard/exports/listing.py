"""The files of the lists of models and providers: the rows of their pages, in the order the view asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.db.models import QuerySet

from leaderboard.catalogue.models import LanguageModel, Provider
from leaderboard.ranking.catalogue_lists import narrowed_models, narrowed_providers
from leaderboard.ranking.filters import Filters
from leaderboard.ranking.sorting import is_known, sort_value

from .catalogue_rows import model_rows, provider_rows
from .columns import MODELS, PROVIDERS, Table

Listed = TypeVar("Listed", LanguageModel, Provider)


def filtered_models(filters: Filters) -> Sequence[LanguageModel]:
    return in_order(narrowed_models(model_rows(), filters), MODELS, filters)


def filtered_providers(filters: Filters) -> Sequence[Provider]:
    return in_order(narrowed_providers(provider_rows(), filters), PROVIDERS, filters)


def in_order(rows: QuerySet[Listed], table: Table, filters: Filters) -> Sequence[Listed]:
    """Sorted by a column of the table where the view is; missing last, ties by id."""
    column = next((c for c in table.columns if c.name == filters.sort_column), None)
    if column is None:
        return list(rows)
    known = [row for row in rows if is_known(column.value(row))]
    missing = [row for row in rows if not is_known(column.value(row))]
    known.sort(key=lambda row: sort_value(column.value(row)), reverse=filters.is_descending)
    return known + missing
