from __future__ import annotations

from tests.benchmarks.site import Row, table


def test_table_has_a_line_for_each_page() -> None:
    text = table([Row("/", 2255.4, 387.2, 5.1, 483.0, 251.4, 31.46)])

    assert text.splitlines() == [
        "| page | first, ms | uncached, ms | uncached/s | cached/s | 304/s | kB gzipped |",
        "|---|---|---|---|---|---|---|",
        "| / | 2255 | 387 | 5 | 483 | 251 | 31.5 |",
    ]
