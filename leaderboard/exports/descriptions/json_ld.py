"""schema.org/Dataset for the data page: what dataset search engines read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from leaderboard.exports import dataset
from leaderboard.exports.columns import LEADERBOARD

from .datapackage import DescribedFile

CREATOR = "Provider leaderboard contributors"


def dataset_json_ld(
    files: Iterable[DescribedFile],
    *,
    as_of: dt.datetime | None,
    since: dt.date | None,
    homepage: str,
    root: str,
) -> dict[str, object]:
    """`since` is the day of the first sample; an open-ended coverage ends with two dots."""
    described: dict[str, object] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": dataset.TITLE,
        "alternateName": dataset.NAME,
        "description": dataset.DESCRIPTION,
        "url": homepage,
        "identifier": homepage,
        "license": dataset.LICENCE_URL,
        "isAccessibleForFree": True,
        "keywords": list(dataset.KEYWORDS),
        "version": dataset.dataset_version(),
        "creator": {"@type": "Organization", "name": CREATOR, "url": homepage},
        "measurementTechnique": "Scheduled streaming requests, timed at the client",
        "variableMeasured": [
            {
                "@type": "PropertyValue",
                "name": column.name,
                "description": column.meaning,
                "unitText": column.unit,
            }
            for column in LEADERBOARD.columns
            if column.unit in ("ms", "tokens/s", "0..1", "USD per 1e6 tokens")
        ],
        "distribution": [
            {
                "@type": "DataDownload",
                "name": file.path,
                "contentUrl": root + file.path,
                "encodingFormat": "application/gzip" if file.path.endswith(".gz") else "text/csv",
            }
            for file in files
        ],
    }
    if since is not None:
        described["temporalCoverage"] = f"{since.isoformat()}/.."
    if as_of is not None:
        described["dateModified"] = f"{as_of.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"
        described["citation"] = dataset.long_citation(as_of, url=homepage)
    return described
