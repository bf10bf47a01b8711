"""Which samples count, in SQL: what every reader of samples on the ranking's side says in the same words.

See docs/aggregates.md: connections kept warm; a sample excluded from all counts nowhere but in its own tally; one
excluded from speed counts everywhere else; only ok samples have figures.
"""

from __future__ import annotations

IS_COUNTED = "not (excluded and excluded_from <> 'speed')"
IS_OK = f"outcome = 'ok' and {IS_COUNTED}"
IS_TIMED = "outcome = 'ok' and not excluded"
KEY = "offering_id, workload, probe_location, workload_version, methodology_version"
WINDOW = "scheduled_at > %(after)s and scheduled_at <= %(as_of)s and connection_kind = 'warm'"
