"""A board whose every free text is hostile: what a provider, a model catalogue or an editor could send us."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from leaderboard.catalogue.models import Offering
from leaderboard.ranking.models import Snapshot
from tests.factories import make_model, make_offering, make_price, make_provider
from tests.measurements.factories import make_samples
from tests.ranking.factories import AS_OF, make_saved_snapshot, make_summary

SCRIPT = "<script>alert(1)</script>"
HANDLER = "\"'><img src=x onerror=alert(2)>"
CLOSER = "</script><svg onload=alert(3)>"
TURNED = "safe\u202egnp.exe\u2066"
SEPARATORS = "two\u2028lines\u2029here"
FORMULA = '=HYPERLINK("http://evil.example/","x")'
HOSTILE = (SCRIPT, HANDLER, CLOSER, TURNED, SEPARATORS, FORMULA, "+1+1", "@SUM(1)", "{{ 7|add:7 }}", "${7*7}")


@dataclass(frozen=True, slots=True)
class HostileBoard:
    snapshot: Snapshot
    offerings: list[Offering]


def make_hostile_board(*, count: int = len(HOSTILE)) -> HostileBoard:
    """One offering for each hostile text, with that text wherever the database takes it."""
    snapshot = make_saved_snapshot()
    offerings = []
    for number, text in enumerate(HOSTILE[:count]):
        provider = make_provider(
            slug=f"hostile-{number}",
            name=text,
            region=text[:64],
            homepage_url="https://example.com/?q=%22%3E%3Cscript%3E",
            terms_note=text,
            aliases=[text],
            paused_reason=text,
        )
        model = make_model(
            slug=f"maker/hostile-{number}", name=f"{text} {number}", creator=text, aliases=[text]
        )
        offering = make_offering(
            public_id=f"hostile-{number}~hostile-{number}",
            provider=provider,
            model=model,
            variant=text[:60],
            provider_model_name=text,
            serving_region=text[:64],
            first_probed_on=AS_OF.date(),
            last_ok_at=AS_OF,
        )
        make_price(offering, note=text, valid_from=AS_OF - dt.timedelta(days=1))
        make_samples(
            offering,
            count=3,
            every_s=600,
            message=text,
            finish_reason=text,
            served_model=text,
            served_provider=text,
            detail=text[:32],
        )
        make_summary(snapshot, offering, output_speed_tps_p50=100.0 + number, ttft_ms_p50=200.0 - number)
        offerings.append(offering)
    return HostileBoard(snapshot, offerings)


def values_of(board: HostileBoard) -> dict[str, tuple[str, ...]]:
    """What stands for the parameters of addresses, so that pages of real rows are asked for."""
    first = board.offerings[0]
    creator, _, model = first.model.slug.partition("/")
    return {
        "creator": (creator,),
        "model": (model,),
        "slug": (first.provider.slug, first.model.slug),
        "provider": (first.provider.slug,),
        "offering_id": (first.public_id,),
        "public_id": (first.public_id,),
        "object_id": (str(first.pk),),
        "app_label": ("catalogue",),
        "chart": ("tradeoff", "x"),
        "version": ("1.0.0",),
    }
