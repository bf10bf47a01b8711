from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .column import OFFERING_REFERENCE, SIMULATED, Column, Table, Value, or_none

KINDS = ("added", "retired", "price", "speed", "ttft", "outage", "method")


def of_offering(attribute: str) -> Callable[[Any], Value]:
    """None for an event that is about no offering, such as a new method version."""
    read = attrgetter(f"offering.{attribute}")
    return lambda event: read(event) if event.offering is not None else None


# Not one of the dataset's tables: the file of the changes page and its feeds.
CHANGES = Table(
    name="changes",
    title="Changes",
    row_is="one per event, newest first",
    key=("event_id",),
    references=(OFFERING_REFERENCE,),
    columns=(
        Column("event_id", "string", "stable id of the event", required=True, get=attrgetter("key")),
        Column("at", "datetime", "when it happened, as far as can be told", unit="UTC", required=True),
        Column("ended_at", "datetime", "end of an outage; empty while it lasts", unit="UTC"),
        Column("kind", "string", "what sort of event it is", required=True, one_of=KINDS),
        Column("offering_id", "string", "what it is about", get=of_offering("public_id")),
        Column("provider_id", "string", "who serves it", get=of_offering("provider.slug")),
        Column("model_id", "string", "what is served", get=of_offering("model.slug")),
        Column("probe_location", "string", "where it was measured", get=or_none("probe_location")),
        Column("workload", "string", "with which workload", get=or_none("workload")),
        Column("column", "string", "the published column that changed", get=or_none("column")),
        Column("before", "string", "its value before", get=or_none("before")),
        Column("after", "string", "its value after", get=or_none("after")),
        Column("change", "number", "relative change: -0.38 is 38 % less", unit="share"),
        Column("detail", "string", "what else is known", get=or_none("detail")),
        Column("simulated", "boolean", SIMULATED, required=True),
    ),
)
