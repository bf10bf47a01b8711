from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from kombu.exceptions import OperationalError

from leaderboard.catalogue.models import Offering, ProbeState
from leaderboard.measurements.models import Sample, Slot
from leaderboard.measurements.planning import plan_now
from leaderboard.measurements.probing import measure, take_up
from leaderboard.measurements.tasks import send


class Command(BaseCommand):
    help = "Measures now: every active offering once, or the ones named."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--offering", action="append", default=[], metavar="ID", help="an offering id; may be repeated"
        )
        parser.add_argument(
            "--wait", action="store_true", help="measure in this process, one by one, and print what came"
        )

    def handle(self, *args: Any, offering: Sequence[str], wait: bool, **options: Any) -> None:
        slots = plan_now(wanted(offering))
        if not slots:
            raise CommandError(
                "Nothing to probe: no offering is active and allowed, or this minute's probes were asked for already."
            )
        if not wait and self.hand_over(slots):
            return
        for slot in slots:
            self.measure_here(slot)

    def hand_over(self, slots: Sequence[Slot]) -> bool:
        """Whether the workers have them now; without a broker this process does the work."""
        try:
            send(slots)
        except (OperationalError, ConnectionError):
            self.stdout.write("No broker answers (is `manage.py up` running?), so they are measured here.")
            return False
        self.stdout.write(f"{len(slots)} probes handed to the workers.")
        return True

    def measure_here(self, slot: Slot) -> None:
        taken = take_up(slot.pk, dt.datetime.now(dt.UTC))
        if taken is None:
            return
        measure(taken)
        for sample in Sample.objects.filter(
            scheduled_at=slot.scheduled_at, offering=slot.offering_id, workload=slot.workload
        ).order_by("sequence"):
            self.stdout.write(f"{taken.offering.public_id} {told(sample)}")
            self.stdout.flush()


def wanted(ids: Sequence[str]) -> list[Offering]:
    """The offerings named, or all active ones. Raises CommandError for an id that is not there or not allowed."""
    offerings = Offering.objects.select_related("provider").order_by("public_id")
    if not ids:
        return list(offerings.filter(probe_state=ProbeState.ACTIVE))
    found = {offering.public_id: offering for offering in offerings.filter(public_id__in=ids)}
    for id_ in ids:
        if id_ not in found:
            known = Offering.objects.values_list("public_id", flat=True)
            near = difflib.get_close_matches(id_, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else "See offerings.csv for the ids."
            raise CommandError(f"There is no offering {id_}. {hint}")
        if found[id_].provider.probing_forbidden:
            raise CommandError(f"{id_} is not probed: {found[id_].provider.probing_forbidden}")
    return list(found.values())


def told(sample: Sample) -> str:
    if sample.outcome != "ok":
        status = f" (HTTP {sample.http_status})" if sample.http_status else ""
        return f"{sample.outcome}{status} {sample.message}".rstrip()
    speed = "speed unknown" if sample.output_speed_tps is None else f"{sample.output_speed_tps:.1f} tokens/s"
    return f"ok, first token after {sample.ttft_ms:.0f} ms, {speed}"
