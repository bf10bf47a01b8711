"""Which samples a file holds, said once and asked for in two ways: by COPY for CSV, row by row for JSON."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from psycopg import sql

from leaderboard.measurements.models import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleChoice:
    """Samples scheduled in [since, until); None and empty tuples choose all."""

    offering_pk: int | None = None
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    workloads: tuple[str, ...] = ()
    probe_locations: tuple[str, ...] = ()

    def condition(self) -> sql.Composable:
        """The where clause, on `s`, the sample table."""
        parts: list[sql.Composable] = [sql.SQL("true")]
        if self.offering_pk is not None:
            parts.append(sql.SQL("s.offering_id = {}").format(self.offering_pk))
        if self.since is not None:
            parts.append(sql.SQL("s.scheduled_at >= {}").format(self.since))
        if self.until is not None:
            parts.append(sql.SQL("s.scheduled_at < {}").format(self.until))
        if self.workloads:
            parts.append(sql.SQL("s.workload = any({})").format(list(self.workloads)))
        if self.probe_locations:
            parts.append(sql.SQL("s.probe_location = any({})").format(list(self.probe_locations)))
        return sql.SQL(" and ").join(parts)

    def rows(self) -> Iterator[Sample]:
        """The same samples in the same order, through a server-side cursor."""
        found = Sample.objects.select_related("offering").order_by("scheduled_at", "sample_id")
        if self.offering_pk is not None:
            found = found.filter(offering=self.offering_pk)
        if self.since is not None:
            found = found.filter(scheduled_at__gte=self.since)
        if self.until is not None:
            found = found.filter(scheduled_at__lt=self.until)
        if self.workloads:
            found = found.filter(workload__in=self.workloads)
        if self.probe_locations:
            found = found.filter(probe_location__in=self.probe_locations)
        return found.iterator(chunk_size=2000)
