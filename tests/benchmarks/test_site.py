from __future__ import annotations

from tests.benchmarks.site import Row, new, paint_table, table
from tests.benchmarks.site_browser import Paint


def test_table_has_a_line_for_each_page() -> None:
    text = table(
        [Row("/", 455.4, 38.2, 45.1, 1483.0, 2251.4, 31.46), Row("/data/", 5.0, 3.0, 300.0, 310.0, 0.0, 14.0)]
    )

    assert text.splitlines() == [
        "| page | first, ms | alone, ms | uncached/s | cached/s | 304/s | kB gzipped |",
        "|---|---|---|---|---|---|---|",
        "| / | 455 | 38 | 45 | 1483 | 2251 | 31.5 |",
        "| /data/ | 5 | 3 | 300 | 310 |  | 14.0 |",
    ]


def test_paint_table_is_left_out_without_a_browser() -> None:
    assert paint_table([]) == ""
    assert paint_table([Paint("/", 812.3, 0.0042, 41.26, 1.7)]).splitlines()[-1] == (
        "| / | 812 | 0.004 | 41.3 | 1.7 |"
    )


def test_new_address_keeps_its_query() -> None:
    assert (new("/", 3), new("/compare/?o=a&o=b", 4)) == ("/?n=3", "/compare/?o=a&o=b&n=4")
