"""Tables as Parquet: the CSV's own text read by the columns' types, so that both hold the same values.

pyarrow is imported when a file is made: it is large, and most processes never make one.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from .columns import Column, Table
from .writers import csv_text

if TYPE_CHECKING:
    import pyarrow as pa

MONEY_DIGITS, MONEY_DECIMALS = 20, 10
BLOCK_BYTES = 2 << 20
"""CSV text of one row group: what is in memory at a time, some times over."""


def is_money(column: Column) -> bool:
    """Amounts are exact decimals in every format."""
    return column.type == "number" and ("usd" in column.name.split("_"))


def arrow_type(column: Column) -> pa.DataType:
    import pyarrow as pa

    if is_money(column):
        return pa.decimal128(MONEY_DIGITS, MONEY_DECIMALS)
    types: dict[str, pa.DataType] = {
        "string": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "datetime": pa.timestamp("ms", tz="UTC"),
    }
    return types[column.type]


def arrow_schema(table: Table) -> pa.Schema:
    """Types with each column's meaning and unit in its field's metadata."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field(
                column.name,
                arrow_type(column),
                nullable=not column.required,
                metadata={"meaning": column.meaning, "unit": column.unit},
            )
            for column in table.columns
        ],
        metadata={"table": table.name, "one_row_is": table.row_is},
    )


def write_parquet(table: Table, unguarded_csv: IO[bytes], target: Path | IO[bytes]) -> int:
    """Read CSV text of the table, whose text cells carry no apostrophes, and write it; how many rows there were."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv
    import pyarrow.parquet as arrow_parquet

    schema = arrow_schema(table)
    options = arrow_csv.ConvertOptions(
        column_types={field.name: field.type for field in schema},
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
        true_values=["true"],
        false_values=["false"],
    )
    rows = 0
    reader = arrow_csv.open_csv(
        unguarded_csv,
        read_options=arrow_csv.ReadOptions(block_size=BLOCK_BYTES, use_threads=False),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=options,
    )
    with arrow_parquet.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_table(pa.Table.from_batches([batch]).cast(schema))
            rows += batch.num_rows
    return rows


def parquet_bytes(table: Table, rows: Iterable[Any]) -> bytes:
    """A small table whole, in memory."""
    text = csv_text(table.columns, rows, guarded=False).encode()
    target = io.BytesIO()
    write_parquet(table, io.BytesIO(text), target)
    return target.getvalue()


class BlockReader(io.RawIOBase):
    """An iterator of blocks as a file to read from: what pyarrow wants of a stream."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self.rest:
            self.rest = next(self.blocks, b"")
        piece, self.rest = self.rest[: len(buffer)], self.rest[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)
