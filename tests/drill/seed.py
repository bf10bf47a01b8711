"""Fills a drill's database: run as `python -m tests.drill.seed BASE_URL OFFERINGS INTERVAL_S [MODEL]`."""

from __future__ import annotations

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")


def main(base_url: str, offerings: int, interval_s: int, model: str) -> None:
    """Simulated providers with two offerings each, all at the lab."""
    django.setup()
    from django.core.management import call_command

    from tests.factories import make_model, make_offering, make_provider

    call_command("migrate", verbosity=0)
    shared = make_model()
    for number in range(offerings):
        if number % 2 == 0:
            provider = make_provider(base_url=base_url, simulated=True)
        make_offering(
            provider=provider,
            model=shared,
            variant=str(number),
            provider_model_name=model,
            workloads=["short"],
            interval_s=interval_s,
        )


if __name__ == "__main__":
    url, count, seconds, *rest = sys.argv[1:]
    main(url, int(count), int(seconds), rest[0] if rest else "plain")
