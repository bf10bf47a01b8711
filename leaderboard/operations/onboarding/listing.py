"""The provider's model list for choosing from, and what was chosen, read back from the form."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from django.http import QueryDict

from leaderboard.catalogue.amounts import BadAmount, read_amount
from leaderboard.catalogue.models import Provider
from leaderboard.catalogue.names import LONGEST_MODEL_NAME, BadName, read_token_count, tidy_name
from leaderboard.measurements.probing import endpoint_of_provider
from leaderboard.operations.onboarding.choosing import Choice, match_models
from leaderboard.operations.onboarding.connection import describe_no_answer, fetch_list
from leaderboard.operations.onboarding.model_lists import ListedModel, NoModelList, read_models

MOST_CHOSEN = 500


def fetch_models(provider: Provider) -> tuple[list[ListedModel], str]:
    """The provider's list, asked now with its stored key; and a sentence where there is none."""
    endpoint = endpoint_of_provider(provider)
    exchange = fetch_list(endpoint)
    if exchange.status is None:
        return [], describe_no_answer(endpoint, exchange)
    if exchange.status in (401, 403):
        refused = f"The provider answered, but not to this key ({exchange.status})."
        return [], f"{refused} Set another key, or type model names by hand."
    if exchange.status != 200:
        return [], f"There is no model list ({exchange.status}). You can type model names by hand."
    try:
        return read_models(b"".join(chunk.body for chunk in exchange.chunks)), ""
    except NoModelList as problem:
        return [], f"The model list cannot be read: {problem}. You can type model names by hand."


class ChosenModels:
    """The ticked rows, those a box ticks at once, and those typed by hand."""

    def __init__(self, posted: QueryDict) -> None:
        self.posted = posted
        self.choices = list(self.read())[:MOST_CHOSEN]

    def read(self) -> Iterator[Choice]:
        ticked = set(self.posted.getlist("choose"))
        takes_matched = "select_matched" in self.posted
        for number, name in enumerate(self.posted.getlist("listed")):
            is_matched = self.posted.get(f"matched-{number}") == "yes"
            if str(number) in ticked or (takes_matched and is_matched):
                yield Choice(
                    name=name[:LONGEST_MODEL_NAME],
                    slug=self.posted.get(f"ours-{number}", "").strip().lower(),
                    context_tokens=read_token_count(self.posted.get(f"context-{number}")),
                    input_usd_per_mtok=self.amount(f"input-{number}"),
                    output_usd_per_mtok=self.amount(f"output-{number}"),
                )
        yield from self.typed()

    def typed(self) -> Iterator[Choice]:
        """One name a line, with ours behind a blank where it is not known."""
        for line in self.posted.get("typed", "").splitlines():
            words = line.split()
            if not words:
                continue
            try:
                name = tidy_name(words[0], longest=LONGEST_MODEL_NAME)
            except BadName:
                continue
            slug = words[1].lower() if len(words) > 1 else match_models([ListedModel(name=name)])[0].slug
            yield Choice(name=name, slug=slug)

    def amount(self, field: str) -> Decimal | None:
        try:
            return read_amount(self.posted.get(field))
        except BadAmount:
            return None
