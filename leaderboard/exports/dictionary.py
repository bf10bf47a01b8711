"""docs/data-dictionary.md, made from the columns; a test fails when the file is behind them."""

from __future__ import annotations

from pathlib import Path

from .columns import TABLES, Column, Table

INTRODUCTION = """\
# Data dictionary

Made by `manage.py data_dictionary` from `leaderboard/exports/columns`; do not edit.

Every table is published as CSV at `/data/v1/`. An empty cell means unknown or not applicable, never 0. Times are UTC.
Milliseconds have 3 decimals, tokens/s 4 and rates 6, rounded half-even; prices are exact. Samples keep what was stored.
Columns are only ever added at the right, never renamed, moved or given a new meaning. All may be passed on under CC BY
4.0 (`redistributable`), but for those that say why not; a file with one of these is refused with 403.
"""


DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "data-dictionary.md"


def dictionary_markdown() -> str:
    return "\n".join([INTRODUCTION, *(table_markdown(table) for table in TABLES)])


def table_markdown(table: Table) -> str:
    lines = [
        f"## {table.name}.csv – {table.title}",
        "",
        f"Rows: {table.row_is}. Key: {', '.join(f'`{name}`' for name in table.key)}."
        + references(table)
        + f" {len(table.columns)} columns.",
        "",
        "| column | type | unit or form | must be filled | allowed | meaning |",
        "|---|---|---|---|---|---|",
        *(column_line(column) for column in table.columns),
        "",
    ]
    return "\n".join(lines)


def references(table: Table) -> str:
    told = [f"`{r.column}` → `{r.table}.{r.table_column}`" for r in table.references]
    return f" References: {', '.join(told)}." if told else ""


def column_line(column: Column) -> str:
    cells = (
        f"`{column.name}`",
        column.type,
        column.unit,
        "yes" if column.required else "",
        column.allowed.replace("|", "\\|"),
        column.told.replace("|", "\\|"),
    )
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"
