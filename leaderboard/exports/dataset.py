"""What the dataset is: titles, versions, licence and citation, said once for every file that repeats them."""

from __future__ import annotations

import datetime as dt

from probes.result import METHODOLOGY_VERSION

TITLE = "Provider leaderboard for LLM inference"
NAME = "provider-leaderboard"
DESCRIPTION = (
    "Output speed, time to first token, reliability and price of LLM inference providers, measured by scheduled "
    "probes: a leaderboard of medians over a 72-hour window, daily aggregates, every raw sample with its failures, "
    "and the catalogue of providers, models, offerings and list prices. Percentiles are by linear interpolation, "
    "times are UTC, prices are USD per million tokens, and an empty cell means unknown."
)
KEYWORDS = ("LLM inference", "benchmark", "time to first token", "output speed", "API pricing", "open data")

# Three versions, never mixed. New rows bump none: `as_of` tells them.
DATASET_VERSION = "1.0.0"
SCHEMA_VERSION = "1.0.0"
METHOD_VERSION = METHODOLOGY_VERSION

LICENCE = "CC-BY-4.0"
LICENCE_TITLE = "Creative Commons Attribution 4.0 International"
LICENCE_URL = "https://creativecommons.org/licenses/by/4.0/"
ROOT = "/data/v1/"


def long_date(day: dt.date) -> str:
    return f"{day.day} {day:%B %Y}"


def short_citation(as_of: dt.datetime) -> str:
    return f"Provider leaderboard ({as_of.year}), v{DATASET_VERSION}, as of {long_date(as_of.date())}"


def long_citation(as_of: dt.datetime, *, url: str) -> str:
    return (
        f"{TITLE} ({as_of.year}), version {DATASET_VERSION}, as of {long_date(as_of.date())}. "
        f"{url}. Licence: {LICENCE_TITLE} ({LICENCE})."
    )
