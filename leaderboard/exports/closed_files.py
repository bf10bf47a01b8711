"""The files that never change once written: where they lie, what the manifest says of them, and how one is added.

The manifest is the truth: a file it does not name is unfinished and never served.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.conf import settings

MANIFEST = "closed.json"
CHECKSUMS = "SHA256SUMS"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedFile:
    """One closed file; `path` is relative to the dataset's root, `table` names the rows it holds."""

    path: str
    table: str
    rows: int
    bytes: int
    sha256: str
    closed_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """One closed file that a correction replaced, and the dataset versions before and after it."""

    path: str
    at: str
    reason: str
    sha256_before: str
    sha256_after: str
    version_before: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    files: tuple[ClosedFile, ...] = ()
    closed_through: str = ""
    """The last UTC day whose samples are closed, as ISO text; empty before the first."""
    closed_month: str = ""
    """The first day of the last month that is closed, as ISO text."""
    rewritten: tuple[Rewriting, ...] = ()
    """Each closed file that a correction replaced, oldest first."""

    def file(self, path: str) -> ClosedFile | None:
        return next((f for f in self.files if f.path == path), None)

    def of_table(self, table: str, ending: str = ".csv.gz") -> list[ClosedFile]:
        return [f for f in self.files if f.table == table and f.path.endswith(ending)]


def closed_root() -> Path:
    return Path(settings.DATA_DIR) / "dataset"


def read_manifest(root: Path | None = None) -> Manifest:
    """An empty one where nothing was closed yet."""
    try:
        document = json.loads(((root or closed_root()) / MANIFEST).read_text())
    except FileNotFoundError:
        return Manifest()
    return Manifest(
        files=tuple(ClosedFile(**entry) for entry in document["files"]),
        closed_through=document["closed_through"],
        closed_month=document["closed_month"],
        rewritten=tuple(
            Rewriting(**entry) for entry in document.get("rewritten", ()) if isinstance(entry, dict)
        ),
    )


def write_manifest(manifest: Manifest, root: Path) -> None:
    """The manifest and SHA256SUMS, each replaced whole."""
    files = sorted(manifest.files, key=lambda f: f.path)
    document = {
        "closed_through": manifest.closed_through,
        "closed_month": manifest.closed_month,
        "rewritten": [asdict(r) for r in manifest.rewritten],
        "files": [asdict(f) for f in files],
    }
    replace_text(root / CHECKSUMS, "".join(f"{f.sha256}  {f.path}\n" for f in files))
    replace_text(root / MANIFEST, json.dumps(document, indent=1) + "\n")


def with_files(
    manifest: Manifest, files: Iterable[ClosedFile], *, closed_through: str = "", closed_month: str = ""
) -> Manifest:
    """The manifest with more files and, where it is given, how far it is now closed."""
    new = {file.path: file for file in files}
    kept = [file for file in manifest.files if file.path not in new]
    return replace(
        manifest,
        files=(*kept, *new.values()),
        closed_through=closed_through or manifest.closed_through,
        closed_month=closed_month or manifest.closed_month,
    )


def replace_text(path: Path, text: str) -> None:
    with written_whole(path) as unfinished:
        unfinished.write_text(text)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A path to write to; it takes `path`'s place once it is on the disk, or vanishes if writing failed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".unfinished-")
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.chmod(0o644)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def described(root: Path, path: str, *, table: str, rows: int, now: dt.datetime) -> ClosedFile:
    """What the manifest says of a file just written."""
    content = root / path
    with content.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return ClosedFile(
        path=path,
        table=table,
        rows=rows,
        bytes=content.stat().st_size,
        sha256=digest,
        closed_at=f"{now:%Y-%m-%dT%H:%M:%SZ}",
    )
