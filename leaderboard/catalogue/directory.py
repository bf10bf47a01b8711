"""Our own directory of providers: facts from directory.toml, loaded without ever undoing an admin's edit."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from django.db import transaction

from leaderboard.catalogue.models import Provider

DIRECTORY_FILE = Path(__file__).with_name("directory.toml")
FACTS = (
    "name",
    "kind",
    "protocol",
    "base_url",
    "api_key_env",
    "homepage_url",
    "pricing_url",
    "status_url",
    "headquarters_country",
)


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """One provider's facts; an unknown one is an empty text."""

    slug: str
    facts: Mapping[str, str]
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Under which names each price catalogue lists it."""


@cache
def read_directory() -> tuple[DirectoryEntry, ...]:
    """All entries, as written. Raises ValueError for a field that is none of ours."""
    with DIRECTORY_FILE.open("rb") as file:
        written = tomllib.load(file)
    return tuple(read_entry(entry) for entry in written["provider"])


def read_entry(entry: Mapping[str, object]) -> DirectoryEntry:
    unknown = set(entry) - {"slug", "sources", *FACTS}
    if unknown:
        raise ValueError(f"directory.toml: {entry.get('slug')} has the unknown field {sorted(unknown)[0]}.")
    sources = entry.get("sources", {})
    assert isinstance(sources, dict)  # noqa: S101 - the file is ours and tested; this tells the type checker
    return DirectoryEntry(
        slug=str(entry["slug"]),
        facts={fact: str(entry.get(fact, "")) for fact in FACTS},
        sources={source: tuple(names) for source, names in sources.items()},
    )


def slugs_by_source(source: str) -> dict[str, str]:
    """A catalogue's names of providers → our slugs."""
    return {name: entry.slug for entry in read_directory() for name in entry.sources.get(source, ())}


@transaction.atomic
def load_directory() -> int:
    """Add missing providers and correct facts nobody else has touched; how many rows were written.

    A fact is ours to correct only while the row still holds what the directory wrote last: an edit stays.
    """
    known = {provider.slug: provider for provider in Provider.objects.all()}
    added: list[Provider] = []
    changed: list[Provider] = []
    for entry in read_directory():
        provider = known.get(entry.slug)
        if provider is None:
            added.append(Provider(slug=entry.slug, from_directory=dict(entry.facts), **entry.facts))
        elif correct_facts(provider, entry.facts):
            changed.append(provider)
    Provider.objects.bulk_create(added)
    Provider.objects.bulk_update(changed, [*FACTS, "from_directory"])
    return len(added) + len(changed)


def correct_facts(provider: Provider, facts: Mapping[str, str]) -> bool:
    """Write the facts that are still as the directory left them; whether anything changed."""
    written: dict[str, str] = provider.from_directory
    for fact, value in facts.items():
        if fact in written and getattr(provider, fact) == written[fact]:
            setattr(provider, fact, value)
    if written == facts or not written:
        return False
    provider.from_directory = dict(facts)
    return True
