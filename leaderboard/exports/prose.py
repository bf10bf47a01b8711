"""The dataset's texts for people, filled from the one place that knows titles, versions and licence."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from string import Template

from . import dataset
from .cells import instant_text
from .closed_files import Rewriting, read_manifest
from .columns import LEADERBOARD
from .descriptions.json_ld import CREATOR

TEXTS = Path(__file__).parent / "texts"
NAMES = ("README.md", "LICENSE.txt", "CITATION.cff", "DATASHEET.md", "CHANGELOG.md")


def prose(name: str, *, as_of: dt.datetime, homepage: str) -> str:
    """The text of one of NAMES; the change log names every closed file that a correction replaced."""
    return Template((TEXTS / name).read_text()).substitute(
        title=dataset.TITLE,
        description=dataset.DESCRIPTION,
        version=dataset.dataset_version(),
        schema_version=dataset.SCHEMA_VERSION,
        method_version=dataset.METHOD_VERSION,
        licence=dataset.LICENCE,
        licence_title=dataset.LICENCE_TITLE,
        licence_url=dataset.LICENCE_URL,
        citation=dataset.long_citation(as_of, url=homepage),
        as_of=instant_text(as_of, always_milliseconds=False),
        day=as_of.date().isoformat(),
        homepage=homepage,
        creator=CREATOR,
        keywords="\n".join(f'  - "{keyword}"' for keyword in dataset.KEYWORDS),
        leaderboard_rows=LEADERBOARD.row_is,
        corrections=corrections(),
    )


def corrections() -> str:
    """One heading for each PATCH, newest first; empty before the first correction."""
    rewritten = read_manifest().rewritten
    versions = list(dict.fromkeys(r.version for r in reversed(rewritten)))
    parts = [(version, [r for r in rewritten if r.version == version]) for version in versions]
    return "".join(
        f"## {version}\n{''.join(correction_line(r) for r in records)}\n" for version, records in parts
    )


def correction_line(record: Rewriting) -> str:
    return (
        f"- {record.at}: {record.path} rewritten: {record.reason}. "
        f"sha256 was {record.sha256_before}, is {record.sha256_after}. "
        f"Its old bytes were those of {record.version_before}.\n"
    )
