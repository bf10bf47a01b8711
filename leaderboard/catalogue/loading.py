"""The first catalogue of a board: our provider directory, the GPUs, and the prices inside genai-prices, offline."""

from __future__ import annotations

import datetime as dt
from importlib.metadata import version

from leaderboard.catalogue.directory import load_directory
from leaderboard.catalogue.gpus import load_gpus
from leaderboard.catalogue.groups import ensure_groups
from leaderboard.catalogue.importers import genai_prices
from leaderboard.catalogue.importers.merge import ImportReport, import_reading
from leaderboard.catalogue.models import CatalogueImport


def load_catalogue(*, now: dt.datetime | None = None) -> ImportReport | None:
    """Load what is new since the last start; None where nothing is. Safe to call at every start.

    The price data is read again only when the installed package has another version than at the last load.
    """
    ensure_groups()
    load_directory()
    load_gpus()
    stamp = f"genai-prices {version('genai-prices')}"
    if CatalogueImport.objects.filter(source=genai_prices.SOURCE, sha256=stamp).exists():
        return None
    reading = genai_prices.read(stamp=stamp)
    return import_reading(reading, now=now or dt.datetime.now(dt.UTC))
