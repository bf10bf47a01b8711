"""Who may do what in the admin: viewer, editor, approver, operator."""

from __future__ import annotations

from django.contrib.auth.models import Group, Permission

CATALOGUE_ROWS = ("provider", "languagemodel", "offering", "price", "gpu", "deployment")
GRANTS: dict[str, tuple[str, ...]] = {
    "viewer": (),
    "editor": (
        *(f"{verb}_{row}" for verb in ("add", "change") for row in CATALOGUE_ROWS),
        "change_heldprice",
    ),
    "approver": ("change_offering", "publish_offering"),
    "operator": ("change_offering", "change_provider", "probe_offering", "change_board", "change_deployment"),
}


def ensure_groups() -> None:
    """Make the groups that are missing; a group that exists keeps what the operator gave it."""
    missing = set(GRANTS) - set(Group.objects.values_list("name", flat=True))
    if not missing:
        return
    catalogue = Permission.objects.filter(
        content_type__app_label__in=["catalogue", "measurements", "ranking"]
    )
    viewing = list(catalogue.filter(codename__startswith="view_"))
    for name in sorted(missing):
        group = Group.objects.create(name=name)
        granted = catalogue.filter(codename__in=GRANTS[name], content_type__app_label="catalogue")
        group.permissions.set([*viewing, *granted])
