"""Who edited last, who approves, and what state that leaves an offering in. The database holds the same rule."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.models import User
from django.db import transaction

from leaderboard.catalogue.history import record_revision
from leaderboard.catalogue.models import Board, Offering, ProbeState


class ReviewProblem(Exception):
    """It cannot be published so; the text says what is missing."""


def the_board() -> Board:
    """The operator's settings, made with their defaults on first use."""
    board, _ = Board.objects.get_or_create(pk=1)
    return board


def note_edit(offering: Offering, user: User | None) -> None:
    """Remember the last editor, unsaved; with review on, what was public waits for another person."""
    offering.edited_by = user
    offering.approved_by = None
    offering.approved_at = None
    offering.self_approved = False
    if offering.probe_state == ProbeState.ACTIVE and the_board().two_person_review:
        offering.probe_state = ProbeState.PENDING_REVIEW


def ask_for_review(offering: Offering, user: User | None) -> None:
    if offering.probe_state not in (ProbeState.DRAFT, ProbeState.PAUSED):
        raise ReviewProblem(f"{offering} is {offering.get_probe_state_display().lower()} already.")
    set_state(offering, ProbeState.PENDING_REVIEW, user, kind="edited")


@transaction.atomic
def publish(offering: Offering, user: User | None, *, now: dt.datetime, note: str = "") -> None:
    """Make it active: by another person where review is on, else logged as self-approved. Raises ReviewProblem."""
    forbidden = offering.provider.probing_forbidden
    if forbidden:
        raise ReviewProblem(forbidden)
    if offering.probe_state == ProbeState.RETIRED:
        raise ReviewProblem(f"{offering} is retired; retired offerings are not taken up again.")
    is_own = user is not None and offering.edited_by_id == user.pk
    if is_own and the_board().two_person_review:
        raise ReviewProblem("You edited this last; someone else must approve.")
    offering.approved_by = user
    offering.approved_at = now
    offering.self_approved = is_own
    reason = note or ("self-approved" if is_own else "")
    set_state(offering, ProbeState.ACTIVE, user, kind="published", reason=reason)


@transaction.atomic
def pause(offering: Offering, user: User | None, *, reason: str, until: dt.datetime | None = None) -> None:
    if offering.probe_state == ProbeState.RETIRED:
        raise ReviewProblem(f"{offering} is retired.")
    offering.paused_reason, offering.paused_until = reason, until
    set_state(offering, ProbeState.PAUSED, user, kind="paused", reason=reason)


@transaction.atomic
def resume(offering: Offering, user: User | None) -> None:
    """Back to active, if it was approved; else back to draft."""
    if offering.probe_state != ProbeState.PAUSED:
        raise ReviewProblem(f"{offering} is not paused.")
    offering.paused_reason, offering.paused_until = "", None
    back = ProbeState.ACTIVE if offering.approved_at else ProbeState.DRAFT
    set_state(offering, back, user, kind="resumed")


@transaction.atomic
def retire(offering: Offering, user: User | None, *, reason: str, today: dt.date) -> None:
    """Out of every current view; the row, its samples and its prices stay."""
    if offering.probe_state == ProbeState.RETIRED:
        return
    offering.retired_on, offering.retired_reason = today, reason
    set_state(offering, ProbeState.RETIRED, user, kind="retired", reason=reason)


def set_state(
    offering: Offering, state: ProbeState, user: User | None, *, kind: str, reason: str = ""
) -> None:
    old = offering.probe_state
    offering.probe_state = state
    offering.save()
    record_revision(
        offering, user, kind=kind, field="probe_state", old=old, new=state, reason=reason, is_public=True
    )
