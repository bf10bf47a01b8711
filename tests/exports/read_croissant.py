"""Run by a test in a process of its own: the reference reader warns and imports much.

Prints the reader's errors, its warnings and the number of rows of each record set of the file that is named.
"""

from __future__ import annotations

import json
import sys

import mlcroissant


def main(path: str) -> None:
    dataset = mlcroissant.Dataset(jsonld=path)
    issues = dataset.metadata.ctx.issues
    names = [record_set.uuid for record_set in dataset.metadata.record_sets]
    rows = {name: sum(1 for _ in dataset.records(record_set=name)) for name in names}
    json.dump(
        {"errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "rows": rows}, sys.stdout
    )


if __name__ == "__main__":
    main(sys.argv[1])
