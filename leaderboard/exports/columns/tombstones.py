from __future__ import annotations

from .column import OFFERING_REFERENCE, SIMULATED, Column, Table

CHANGES = ("excluded", "changed", "removed")

TOMBSTONES = Table(
    name="tombstones",
    title="Corrected rows of closed files",
    row_is="one per sample whose row in a closed file a correction replaced",
    key=("sample_id", "version"),
    references=(OFFERING_REFERENCE,),
    columns=(
        Column(
            "sample_id", "string", "the sample whose published row was replaced", unit="UUIDv7", required=True
        ),
        Column("offering_id", "string", "what was probed", required=True),
        Column("day", "date", "the closed day whose file held the row", unit="UTC day", required=True),
        Column(
            "change",
            "string",
            "excluded = kept and left out of figures; changed = other cells differ; removed = the row is gone",
            required=True,
            one_of=CHANGES,
        ),
        Column("corrected_at", "datetime", "when the file was replaced", unit="UTC", required=True),
        Column("reason", "string", "why, in the operator's words", required=True),
        Column(
            "version_before",
            "string",
            "the last dataset version with the old row",
            unit="semver",
            required=True,
        ),
        Column("version", "string", "the first dataset version without it", unit="semver", required=True),
        Column("simulated", "boolean", SIMULATED, required=True),
    ),
)
