"""croissant.json, Croissant 1.0: a live dataset, so checksums stand only on files that will not change."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from leaderboard.exports import dataset
from leaderboard.exports.columns import Column

from .datapackage import DescribedFile

CONTEXT: dict[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
DATA_TYPES = {
    "string": "sc:Text",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "boolean": "sc:Boolean",
    "date": "sc:Date",
    "datetime": "sc:DateTime",
}


def croissant(
    files: Iterable[DescribedFile], *, as_of: dt.datetime | None, homepage: str, root: str
) -> dict[str, object]:
    """`root` is the address the files' paths hang on, with its last slash."""
    files = list(files)
    described: dict[str, object] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": dataset.NAME,
        "description": dataset.DESCRIPTION,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": dataset.LICENCE_URL,
        "url": homepage,
        "version": dataset.dataset_version(),
        "isLiveDataset": True,
        "keywords": list(dataset.KEYWORDS),
        "distribution": [distribution(file, root) for file in files],
        "recordSet": [record_set(file) for file in files],
    }
    if as_of is not None:
        described["dateModified"] = f"{as_of.astimezone(dt.UTC):%Y-%m-%d}"
        described["datePublished"] = described["dateModified"]
        described["citeAs"] = dataset.long_citation(as_of, url=homepage)
    return described


def distribution(file: DescribedFile, root: str) -> dict[str, object]:
    described: dict[str, object] = {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "description": f"{file.table.title}. One row: {file.table.row_is}.",
        "contentUrl": root + file.path,
        # The reference reader opens gzip by itself and needs to be told what is inside.
        "encodingFormat": ["text/csv", "application/gzip"] if file.path.endswith(".gz") else "text/csv",
    }
    if file.sha256 is not None:
        described |= {"sha256": file.sha256, "contentSize": f"{file.bytes} B"}
    return described


def record_set(file: DescribedFile) -> dict[str, object]:
    return {
        "@type": "cr:RecordSet",
        "@id": file.name,
        "name": file.name,
        "description": file.table.row_is,
        "key": [{"@id": f"{file.name}/{name}"} for name in file.table.key],
        "field": [described_field(file, column) for column in file.table.columns],
    }


def described_field(file: DescribedFile, column: Column) -> dict[str, object]:
    return {
        "@type": "cr:Field",
        "@id": f"{file.name}/{column.name}",
        "name": column.name,
        "description": f"{column.meaning} [{column.unit}]" if column.unit else column.meaning,
        "dataType": DATA_TYPES[column.type],
        "source": {"fileObject": {"@id": file.path}, "extract": {"column": column.name}},
    }
