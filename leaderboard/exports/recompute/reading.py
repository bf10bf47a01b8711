"""The published files, from a folder or an address, as tables of text: digits are compared as they were written."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from urllib.request import urlopen

import pandas as pd

DEFAULT_INTERVAL_S = 10_800
TIMEOUT_S = 60
INSTANTS = ("scheduled_at", "started_at")
NUMBERS = ("output_speed_tps", "ttft_ms", "ttfat_ms", "end_to_end_ms")


class CannotRead(Exception):
    """A file the dataset promises is not there, or is not what it should be; the text names it."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the dataset lies: a folder, or an address ending in a slash."""

    place: str

    @property
    def is_remote(self) -> bool:
        return self.place.startswith(("http://", "https://"))

    def read(self, path: str) -> bytes:
        """The file's bytes, unpacked where it is gzipped; raises CannotRead."""
        try:
            if self.is_remote:
                address = urljoin(self.place.rstrip("/") + "/", path)
                with urlopen(address, timeout=TIMEOUT_S) as answer:  # noqa: S310 the operator's own address
                    content: bytes = answer.read()
            else:
                content = (Path(self.place) / path).read_bytes()
            return gzip.decompress(content) if path.endswith(".gz") else content
        except (OSError, EOFError) as problem:
            raise CannotRead(f"{path} cannot be read from {self.place}: {problem}") from None

    def table(self, path: str) -> pd.DataFrame:
        return pd.read_csv(io.BytesIO(self.read(path)), dtype=str, keep_default_na=False)

    def latest(self) -> dict[str, Any]:
        """latest.json, or nothing where a folder holds the tables alone."""
        try:
            document: dict[str, Any] = json.loads(self.read("latest.json"))
        except CannotRead:
            return {}
        return document

    def sample_paths(self) -> Iterator[str]:
        """samples.csv where the folder has it whole, else the closed days and today's."""
        if not self.is_remote:
            root = Path(self.place)
            if (root / "samples.csv").exists():
                yield "samples.csv"
                return
            yield from sorted(str(p.relative_to(root)) for p in root.glob("samples/**/*.csv.gz"))
        else:
            for file in self.latest().get("files", []):
                if file["kind"] == "closed" and file["table"] == "samples" and file["path"].endswith(".gz"):
                    yield file["path"]
        yield "samples/today.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was published; every cell of the first five as text."""

    leaderboard: pd.DataFrame
    daily: pd.DataFrame
    offerings: pd.DataFrame
    prices: pd.DataFrame
    samples: pd.DataFrame
    """Instants and figures parsed, everything else text."""
    intervals_s: dict[str, float]
    """Seconds between an offering's probes, where they are not the default."""
    default_interval_s: float


def read_published(place: str) -> Published:
    """Raises CannotRead for the first file that is missing."""
    source = Source(place)
    latest = source.latest()
    samples = with_types(pd.concat([source.table(path) for path in source.sample_paths()], ignore_index=True))
    samples = samples.drop_duplicates("sample_id")
    return Published(
        leaderboard=source.table("leaderboard.csv"),
        daily=source.table("daily.csv"),
        offerings=source.table("offerings.csv"),
        prices=source.table("prices.csv"),
        samples=samples,
        intervals_s=latest.get("intervals_s", {}) if latest else inferred_intervals(samples),
        default_interval_s=latest.get("default_interval_s", DEFAULT_INTERVAL_S),
    )


def with_types(samples: pd.DataFrame) -> pd.DataFrame:
    """Python's own float(): it reads back exactly the number that was written."""
    for name in INSTANTS:
        samples[name] = pd.to_datetime(samples[name], utc=True, format="ISO8601")
    for name in NUMBERS:
        samples[name] = [float(text) if text else float("nan") for text in samples[name]]
    return samples


def inferred_intervals(samples: pd.DataFrame) -> dict[str, float]:
    """The commonest pause between an offering's slots, where the folder does not say its schedule."""
    found = {}
    for offering_id, own in samples.groupby("offering_id"):
        pauses = (
            own.sort_values("scheduled_at")
            .groupby(["workload", "probe_location"])["scheduled_at"]
            .diff()
            .dt.total_seconds()
        )
        common = pauses[pauses > 0].mode()
        if len(common):
            found[str(offering_id)] = float(common.iloc[0])
    return found
