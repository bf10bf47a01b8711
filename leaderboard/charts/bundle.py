"""Vega for readers who ask for the interactive chart: one file from our own origin, out of the package that draws.

Made when static files are collected and not committed; 0.9 MB, 0.3 MB compressed, fetched on a click only.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage

NAME = "vega.js"


def write_bundle(folder: Path) -> Path:
    """The bundle's path; written where it is not there yet, which takes seconds."""
    path = folder / f"bundle-{version('vl-convert-python')}" / NAME
    if not path.exists():
        # Imported here: only collecting pays for it.
        import vl_convert

        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"), encoding="utf-8")
    return path


class BundleFinder(BaseFinder):
    """Offers `vega.js` to collectstatic as if it lay in a static folder."""

    def check(self, **kwargs: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        if path != NAME:
            return []
        found = str(write_bundle(Path(settings.DATA_DIR)))
        return [found] if find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[tuple[str, Storage]]:
        folder = write_bundle(Path(settings.DATA_DIR)).parent
        return [(NAME, FileSystemStorage(location=str(folder)))]
