"""`up --measure SLUG`: the operator's word that a provider of the catalogue may be probed, with what it will cost."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Callable, Iterable

from django.contrib.auth.models import User

from leaderboard.catalogue import review
from leaderboard.catalogue.budgets import cap_warning, forecast
from leaderboard.catalogue.credentials import key_for
from leaderboard.catalogue.models import Offering, ProbeState, Provider
from leaderboard.operations.environment import EnvironmentProblem
from leaderboard.operations.local_engines import PREFIX, local_provider


def begin_measuring(
    slugs: Iterable[str], *, now: dt.datetime, say: Callable[[str], object], user: User | None = None
) -> None:
    """Activate each provider's drafts and say the forecast; EnvironmentProblem where one cannot be probed."""
    for provider in [measurable_provider(slug, user, now=now) for slug in slugs]:
        for offering in Offering.objects.filter(provider=provider, probe_state=ProbeState.DRAFT):
            publish(offering, user, now=now)
        active = list(Offering.objects.filter(provider=provider, probe_state=ProbeState.ACTIVE))
        if not active:
            raise EnvironmentProblem(f"{provider.slug} has no offering to measure; add one in the admin.")
        expected = forecast(active, at=now)
        unpriced = f", {expected.unpriced} of unknown price" if expected.unpriced else ""
        say(
            f"measuring {provider.slug}: {len(active)} offerings{unpriced}, at most "
            f"{expected.usd_per_day:.2f} USD a day by forecast, capped at {provider.daily_cap_usd:.2f} USD"
        )
        warning = cap_warning(provider, review.the_board(), expected)
        if warning:
            say(warning)


def publish(offering: Offering, user: User | None, *, now: dt.datetime) -> None:
    """By the person who clicked, or by whoever may start the board."""
    try:
        review.publish(offering, user, now=now, note="measured at the operator's word")
    except review.ReviewProblem as problem:
        raise EnvironmentProblem(f"--measure {offering.provider.slug}: {problem}") from problem


def measurable_provider(slug: str, user: User | None, *, now: dt.datetime) -> Provider:
    provider = Provider.objects.filter(slug=slug).first()
    if provider is None and slug.startswith(PREFIX):
        provider = local_provider(slug, user, now=now)
    if provider is None:
        near = difflib.get_close_matches(slug, Provider.objects.values_list("slug", flat=True), n=1)
        hint = f"Did you mean {near[0]}?" if near else "The providers are listed in the admin."
        raise EnvironmentProblem(f"--measure {slug}: there is no such provider. {hint}")
    if provider.probing_forbidden:
        raise EnvironmentProblem(f"--measure {slug}: {provider.probing_forbidden}")
    if provider.api_key_env and key_for(provider) is None:
        raise EnvironmentProblem(
            f"--measure {slug}: its key is missing; set {provider.api_key_env}, or enter it in the admin."
        )
    return provider
