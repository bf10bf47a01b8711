"""Every change of the catalogue as a Revision: who, when, from, to, reason. Keys are named, never shown."""

from __future__ import annotations

from django.contrib.auth.models import User

from leaderboard.catalogue.models import Board, LanguageModel, Offering, Price, Provider, Revision

SECRET_FIELDS = frozenset({"api_key", "encrypted_api_key"})
Subject = Provider | LanguageModel | Offering | Price | Board


def subject_of(changed: Subject) -> tuple[str, str]:
    """The kind and the public id of what changed."""
    match changed:
        case Provider():
            return "provider", changed.slug
        case LanguageModel():
            return "model", changed.slug
        case Offering():
            return "offering", changed.public_id
        case Price():
            return "price", changed.offering.public_id
        case Board():
            return "board", "board"


def record_revision(
    changed: Subject,
    user: User | None,
    *,
    kind: str,
    field: str = "",
    old: object = "",
    new: object = "",
    reason: str = "",
    is_public: bool = False,
) -> Revision:
    """Write one change; of a secret field only that it was set or removed."""
    subject, subject_id = subject_of(changed)
    if field in SECRET_FIELDS:
        old, new = "", "set" if new else "removed"
    return Revision.objects.create(
        who=user,
        kind=kind,
        subject=subject,
        subject_id=subject_id,
        field=field,
        old=shown(old),
        new=shown(new),
        reason=reason[:300],
        is_public=is_public,
    )


def shown(value: object) -> str:
    return "" if value is None else str(value)[:500]
