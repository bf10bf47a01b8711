"""The price catalogues by name, and how each is read or fetched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import httpx

from leaderboard.catalogue.importers import genai_prices, litellm, models_dev, openrouter
from leaderboard.catalogue.importers.quotes import BadCatalogue, Reading

LARGEST_CATALOGUE_BYTES = 50_000_000
FETCH_TIMEOUT_S = 60.0
GIVE = "Save a copy and give it as FILE."


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    read: Callable[[bytes], Reading]
    address: str


SOURCES = {
    module.SOURCE: Source(module.SOURCE, module.read, module.ADDRESS)
    for module in (genai_prices, models_dev, litellm, openrouter)
}


def fetch(source: Source) -> bytes:
    """The catalogue from its public address, bounded in size and time. Raises BadCatalogue."""
    received = bytearray()
    try:
        with httpx.stream("GET", source.address, timeout=FETCH_TIMEOUT_S, follow_redirects=False) as response:
            if response.status_code != httpx.codes.OK:
                raise BadCatalogue(f"{source.name}: {source.address} answered {response.status_code}. {GIVE}")
            for chunk in response.iter_bytes():
                received += chunk
                if len(received) > LARGEST_CATALOGUE_BYTES:
                    raise BadCatalogue(f"{source.name}: more than {LARGEST_CATALOGUE_BYTES} bytes. {GIVE}")
    except httpx.HTTPError as problem:
        kind = type(problem).__name__
        raise BadCatalogue(f"{source.name}: {source.address} cannot be read ({kind}). {GIVE}") from None
    return bytes(received)
