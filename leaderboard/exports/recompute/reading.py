"""The published files, from a folder or an address, as tables of text: digits are compared as they were written."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

import pandas as pd

from probes.workloads import DAILY_WORKLOADS

DEFAULT_INTERVAL_S = 10_800
TIMEOUT_S = 60
TRIES = 5
WHAT_TO_NAME = "Name a folder that export_dataset wrote, or the address of a board's /data/v1/."
INSTANTS = ("scheduled_at", "started_at")
NUMBERS = ("output_speed_tps", "ttft_ms", "ttfat_ms", "end_to_end_ms")


class CannotRead(Exception):
    """A file the dataset promises is not there, or is not what it should be; the text names it."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the dataset lies: a folder, or an address; a board's own address means its /data/v1/."""

    place: str

    @property
    def is_remote(self) -> bool:
        return self.place.startswith(("http://", "https://"))

    @property
    def root(self) -> str:
        bare = urlsplit(self.place).path in ("", "/")
        return self.place.rstrip("/") + ("/data/v1/" if bare else "/")

    def read(self, path: str) -> bytes:
        """The file's bytes, unpacked where it is gzipped; raises CannotRead."""
        try:
            if self.is_remote:
                address = urljoin(self.root, path)
                with urlopen(address, timeout=TIMEOUT_S) as answer:  # noqa: S310 the operator's own address
                    content: bytes = answer.read()
            else:
                content = (Path(self.place) / path).read_bytes()
            return gzip.decompress(content) if path.endswith(".gz") else content
        except (OSError, EOFError, zlib.error, HTTPException, ValueError) as problem:
            raise CannotRead(self.why(path, problem)) from None

    def why(self, path: str, problem: Exception) -> str:
        match problem:
            case HTTPError():
                return f"{self.place} has no {path}: it answers {problem.code}. {WHAT_TO_NAME}"
            case FileNotFoundError() | NotADirectoryError() if not Path(self.place).is_dir():
                return f"{self.place} is no folder. {WHAT_TO_NAME}"
            case FileNotFoundError():
                return f"{self.place} has no {path}. {WHAT_TO_NAME}"
            case URLError(reason=OSError() as cause) if cause.strerror:
                return f"{self.place} does not answer: {cause.strerror}."
            case OSError() if problem.strerror:
                return f"{path} cannot be read from {self.place}: {problem.strerror}."
        return f"{path} cannot be read from {self.place}: {problem}."

    def table(self, path: str) -> pd.DataFrame:
        return pd.read_csv(io.BytesIO(self.read(path)), dtype=str, keep_default_na=False)

    def optional_table(self, path: str) -> pd.DataFrame:
        """Empty where an older or smaller dataset does not have it."""
        try:
            return self.table(path)
        except CannotRead:
            return pd.DataFrame()

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
    gpu_levels: pd.DataFrame
    """Levels of sweeps, and below their requests, as text; empty where the dataset has none."""
    gpu_samples: pd.DataFrame
    late_samples: frozenset[str]
    """Stored after the snapshot was made, though their slots came before it."""
    intervals_s: dict[str, float]
    """Seconds between an offering's probes, where they are not the default."""
    default_interval_s: float
    daily_workloads: frozenset[str]
    """Measured once a day at the most, whatever the offering's interval is."""

    def interval_of(self, offering_id: str, workload: str) -> dt.timedelta:
        usual = dt.timedelta(seconds=self.intervals_s.get(offering_id, self.default_interval_s))
        return max(usual, dt.timedelta(days=1)) if workload in self.daily_workloads else usual


def read_published(place: str) -> Published:
    """Raises CannotRead for the first file that is missing.

    A running board publishes anew every minute: what is read must be of one snapshot, or it is read again.
    """
    source = Source(place)
    for _ in range(TRIES if source.is_remote else 1):
        published, as_of = read_once(source)
        if not source.is_remote or source.latest().get("as_of") == as_of:
            return published
    raise CannotRead(f"{place} published anew each time while it was read; try again.")


def read_once(source: Source) -> tuple[Published, str | None]:
    """The files, and the instant of the leaderboard among them."""
    leaderboard = source.table("leaderboard.csv")
    samples = with_types(pd.concat([source.table(path) for path in source.sample_paths()], ignore_index=True))
    samples = samples.drop_duplicates("sample_id")
    daily = source.table("daily.csv")
    latest = source.latest()
    published = Published(
        leaderboard=leaderboard,
        # A running board's open days were counted at another instant than its samples were read.
        daily=daily[daily["final"] == "true"] if source.is_remote else daily,
        offerings=source.table("offerings.csv"),
        prices=source.table("prices.csv"),
        samples=samples,
        gpu_levels=source.optional_table("gpu_levels.csv"),
        gpu_samples=source.optional_table("gpu_samples.csv"),
        late_samples=frozenset(latest.get("late_samples", [])),
        intervals_s=latest.get("intervals_s", {}) if latest else inferred_intervals(samples),
        default_interval_s=latest.get("default_interval_s", DEFAULT_INTERVAL_S),
        daily_workloads=frozenset(latest.get("daily_workloads", DAILY_WORKLOADS)),
    )
    return published, None if leaderboard.empty else str(leaderboard["as_of"].iloc[0])


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
