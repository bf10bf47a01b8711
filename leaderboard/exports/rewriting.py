"""Replacing closed files after a correction: rare, with a reason, and told in the change log with both checksums.

A month's frozen ZIP is left as it was: it is what people cite.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

from .closed_files import ClosedFile, Manifest, closed_root, read_manifest, with_files, write_manifest
from .months import close_daily
from .releases import close_day, day_path, only_one

FIRST_LINES = ".csv.gz"
"""One line a table and day: the Parquet file beside it holds the same rows."""


class FilesBusy(Exception):
    """Another process is writing closed files; asking again a little later works."""


def rewrite_day(day: dt.date, *, reason: str, now: dt.datetime, root: Path | None = None) -> list[ClosedFile]:
    """Write the closed files that hold a UTC day anew; none where the day is still open. Raises FilesBusy."""
    root = root or closed_root()
    if read_manifest(root).file(f"{day_path(day)}.csv.gz") is None:
        return []
    with only_one() as alone:
        if not alone:
            raise FilesBusy("The files of finished days are being written just now; try again in a minute.")
        before = read_manifest(root)
        files = close_day(day, root=root, now=now)
        month = day.replace(day=1)
        if before.file(f"daily/{month:%Y-%m}.csv.gz"):
            files += close_daily(month, root, now)
        after = with_files(before, files)
        lines = [line_of(before, file, reason) for file in files if file.path.endswith(FIRST_LINES)]
        changed = tuple(line for line in lines if line)
        write_manifest(replace(after, rewritten=(*before.rewritten, *changed)), root)
    return files


def line_of(before: Manifest, file: ClosedFile, reason: str) -> str:
    """Empty where the bytes are the same as before."""
    old = before.file(file.path)
    if old is None or old.sha256 == file.sha256:
        return ""
    why = " ".join(reason.split())
    return f"- {file.closed_at}: {file.path} rewritten: {why}. sha256 was {old.sha256}, is {file.sha256}."
