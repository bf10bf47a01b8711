"""What the dataset is: titles, versions, licence and citation, said once for every file that repeats them."""

from __future__ import annotations

import datetime as dt

from probes.result import METHODOLOGY_VERSION

from .closed_files import Manifest, read_manifest

TITLE = "Provider leaderboard for LLM inference"
NAME = "provider-leaderboard"
DESCRIPTION = (
    "Output speed, time to first token, reliability and price of LLM inference providers, measured by scheduled "
    "probes: a leaderboard of medians over a 72-hour window, daily aggregates, every raw sample with its failures, "
    "and the catalogue of providers, models, offerings and list prices. Percentiles are by linear interpolation, "
    "times are UTC, prices are USD per million tokens, and an empty cell means unknown."
)
KEYWORDS = ("LLM inference", "benchmark", "time to first token", "output speed", "API pricing", "open data")

# Three versions, never mixed. New rows bump none: `as_of` tells them. Corrections of closed files count on from this.
FIRST_VERSION = "1.0.0"
SCHEMA_VERSION = "1.0.0"
METHOD_VERSION = METHODOLOGY_VERSION

LICENCE = "CC-BY-4.0"
LICENCE_TITLE = "Creative Commons Attribution 4.0 International"
LICENCE_URL = "https://creativecommons.org/licenses/by/4.0/"
ROOT = "/data/v1/"


def dataset_version(manifest: Manifest | None = None) -> str:
    """The version of this board's dataset: the code's, one PATCH further for each correction of closed files."""
    rewritten = (manifest or read_manifest()).rewritten
    return max(FIRST_VERSION, rewritten[-1].version if rewritten else FIRST_VERSION, key=numbers)


def next_patch(version: str) -> str:
    major, minor, patch = numbers(version)
    return f"{major}.{minor}.{patch + 1}"


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def long_date(day: dt.date) -> str:
    return f"{day.day} {day:%B %Y}"


def short_citation(as_of: dt.datetime) -> str:
    return f"Provider leaderboard ({as_of.year}), v{dataset_version()}, as of {long_date(as_of.date())}"


def long_citation(as_of: dt.datetime, *, url: str) -> str:
    return (
        f"{TITLE} ({as_of.year}), version {dataset_version()}, as of {long_date(as_of.date())}. "
        f"{url}. Licence: {LICENCE_TITLE} ({LICENCE})."
    )
