"""Sentences made from the rows that the tables show; each says nothing where it knows nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leaderboard.charts.marks import Axis
from leaderboard.pages.numbers import whole
from leaderboard.ranking.groups import ModelRow, ProviderRow
from leaderboard.ranking.models import Event
from leaderboard.ranking.rows import LeaderboardRow

NUMBER_WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


@dataclass(frozen=True, slots=True)
class Entry:
    """A name with a known value."""

    name: str
    value: float


def count_of(count: int, noun: str) -> str:
    """ "No models", "One model", "12 models": at the head of a sentence."""
    word = NUMBER_WORDS[count] if count < len(NUMBER_WORDS) else f"{count:,}"
    return f"{word} {noun}" if count == 1 else f"{word} {noun}s"


def listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def ratio(larger: float, smaller: float) -> str:
    """ "4.4 times", "12 times"; compared on unrounded values."""
    times = larger / smaller
    return f"{times:.1f}".removesuffix(".0") + " times" if times < 10 else f"{times:.0f} times"


def leader_sentence(entries: Sequence[Entry], *, unit: str, lead: str, lower_is_better: bool = False) -> str:
    """Who leads and by how much over the next: "V3 Fast is fastest at 3,502 tokens/s, 1.1 times V3 Large (3,129)."

    Equal leaders share the sentence; one entry stands alone; none gives an empty text.
    """
    ordered = sorted(entries, key=lambda e: (e.value if lower_is_better else -e.value, e.name))
    if not ordered:
        return ""
    best = ordered[0].value
    leaders = [e.name for e in ordered if e.value == best]
    if len(leaders) > 3:
        return f"{len(leaders)} share the lead at {whole(best)} {unit}."
    if len(leaders) > 1:
        return f"{listed(leaders)} share the lead at {whole(best)} {unit}."
    if len(ordered) == 1:
        return f"{leaders[0]} is the only one measured, at {whole(best)} {unit}."
    follower = ordered[1]
    larger, smaller = max(best, follower.value), min(best, follower.value)
    comparison = "of the time" if lower_is_better else ""
    if lower_is_better:
        share = f"{100 * smaller / larger:.0f} % {comparison} of {follower.name} ({whole(follower.value)})"
    else:
        share = f"{ratio(larger, smaller)} the speed of {follower.name} ({whole(follower.value)})"
    return f"{leaders[0]} is {lead} at {whole(best)} {unit}, {share}."


def entries_of(rows: Sequence[ModelRow], value: Callable[[ModelRow], float | None]) -> list[Entry]:
    """Ranked models with a known value; while none is ranked, the provisional ones."""
    compared = [r for r in rows if not r.is_provisional] or list(rows)
    return [Entry(r.model_name, v) for r in compared if (v := value(r)) is not None]


def speed_sentence(rows: Sequence[ModelRow]) -> str:
    return leader_sentence(
        entries_of(rows, lambda r: r.output_speed_tps_p50), unit="tokens/s", lead="fastest"
    )


def ttft_sentence(rows: Sequence[ModelRow]) -> str:
    return leader_sentence(
        entries_of(rows, lambda r: r.ttft_ms_p50), unit="ms", lead="soonest", lower_is_better=True
    )


def frontier_sentence(on_frontier: int, compared: int, noun: str, *, provisional: bool = False) -> str:
    """ "Two of 25 models are on the frontier: nothing measured is …"; with nothing compared, an empty text."""
    if not compared:
        return ""
    word = NUMBER_WORDS[on_frontier] if on_frontier < len(NUMBER_WORDS) else f"{on_frontier:,}"
    kind = "provisional frontier" if provisional else "frontier"
    verb = "is" if on_frontier == 1 else "are"
    nouns = noun if compared == 1 else f"{noun}s"
    return (
        f"{word} of {compared:,} {nouns} {verb} on the {kind}: "
        "nothing measured is at least as soon and as fast, and better at one of them."
    )


def axes_frontier_sentence(on_frontier: int, compared: int, x: Axis, y: Axis) -> str:
    """The sentence for any two measures; with nothing compared, an empty text."""
    if not compared:
        return ""
    word = NUMBER_WORDS[on_frontier] if on_frontier < len(NUMBER_WORDS) else f"{on_frontier:,}"
    verb = "is" if on_frontier == 1 else "are"
    nouns = "offering" if compared == 1 else "offerings"
    return (
        f"{word} of {compared:,} {nouns} {verb} on the frontier of {plain(y)} against {plain(x)}: "
        "nothing measured is at least as good on both, and better at one of them."
    )


def plain(axis: Axis) -> str:
    title = axis.title.partition(",")[0]
    return title[0].lower() + title[1:]


def model_frontier_sentence(rows: Sequence[ModelRow], *, provisional: bool) -> str:
    compared = [
        r
        for r in rows
        if r.is_provisional == provisional
        and r.output_speed_tps_p50 is not None
        and r.ttft_ms_p50 is not None
    ]
    return frontier_sentence(
        sum(r.frontier_speed_ttft for r in compared), len(compared), "model", provisional=provisional
    )


def offering_frontier_sentence(rows: Sequence[LeaderboardRow]) -> str:
    """The same of offerings: over the ranked ones, or the provisional ones while none is ranked."""
    ranked = [r for r in rows if r.is_ranked]
    compared = [
        r
        for r in ranked or [r for r in rows if r.is_provisional]
        if r.output_speed_tps_p50 is not None and r.ttft_ms_p50 is not None
    ]
    return frontier_sentence(
        sum(r.frontier_speed_ttft for r in compared), len(compared), "offering", provisional=not ranked
    )


def catalogue_sentence(rows: Sequence[ProviderRow]) -> str:
    """Who serves the most models; ties are named together."""
    if not rows:
        return ""
    most = max(r.models_served for r in rows)
    leaders = sorted(r.provider_name for r in rows if r.models_served == most)
    models = "one model" if most == 1 else f"{most:,} models"
    if len(rows) == 1:
        return f"{leaders[0]} is the only provider with measurements, with {models}."
    if len(leaders) > 3:
        return f"{len(leaders)} of {len(rows)} providers serve the most here, {models} each."
    if len(leaders) > 1:
        return f"{listed(leaders)} serve the most here, {models} each."
    return f"{leaders[0]} serves the most here, {models}, of {len(rows)} providers."


def spread_sentence(rows: Sequence[LeaderboardRow]) -> str:
    """How far apart a model's providers are; at most the fact that there is only one."""
    compared = [r for r in rows if r.is_ranked] or [r for r in rows if r.is_provisional]
    known = sorted(
        (
            Entry(r.provider_name, r.output_speed_tps_p50)
            for r in compared
            if r.output_speed_tps_p50 is not None
        ),
        key=lambda e: (-e.value, e.name),
    )
    if len(known) < 2:
        return leader_sentence(known, unit="tokens/s", lead="fastest")
    fastest, slowest = known[0], known[-1]
    if fastest.value == slowest.value:
        return f"All {len(known)} offerings run at {whole(fastest.value)} tokens/s."
    return (
        f"{fastest.name} is fastest at {whole(fastest.value)} tokens/s, "
        f"{ratio(fastest.value, slowest.value)} the speed of {slowest.name} ({whole(slowest.value)})."
    )


def event_sentence(event: Event) -> str:
    """What changed, from what to what: "output speed fell 38 %, from 212 to 131 tokens/s"."""
    match event.kind:
        case Event.Kind.SPEED:
            return shift_sentence("output speed", event, "tokens/s")
        case Event.Kind.TTFT:
            return shift_sentence("time to first token", event, "ms")
        case Event.Kind.PRICE:
            name = event.column.partition("_")[0]
            old, new = event.before or "unknown", event.after or "unknown"
            return f"{name} price from {old} to {new} USD per 1M tokens"
        case Event.Kind.OUTAGE:
            until = f" until {event.ended_at:%H:%M} UTC" if event.ended_at else ", not over yet"
            return f"outage{until}. {event.detail}".strip()
        case Event.Kind.ADDED:
            return "added"
        case Event.Kind.RETIRED:
            return f"retired. {event.detail}".strip()
    return event.detail or event.kind


def shift_sentence(what: str, event: Event, unit: str) -> str:
    verb = "rose" if (event.change or 0) > 0 else "fell"
    by = f" {abs(event.change) * 100:.0f} %" if event.change is not None else ""
    return f"{what} {verb}{by}, from {rounded(event.before)} to {rounded(event.after)} {unit}"


def rounded(text: str) -> str:
    try:
        return whole(float(text))
    except ValueError:
        return text or "unknown"
