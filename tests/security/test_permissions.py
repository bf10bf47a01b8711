"""Who gets where: one sweep over every address, and every model of the admin, for each kind of person."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin as django_admin
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from leaderboard.catalogue.groups import ensure_groups
from leaderboard.catalogue.models import Offering, Provider
from tests.security.addresses import Maker
from tests.security.board import HostileBoard, values_of

OPEN_TO_ALL = {
    "/admin/login/",
    "/admin/password_reset/",
    "/admin/password_reset/done/",
    "/admin/reset/done/",
    "/admin/reset/x/x/",
}
CATALOGUE = ("provider", "languagemodel", "offering", "price", "gpu", "deployment")
MAY_ADD = {"editor": set(CATALOGUE)}
MAY_CHANGE = {
    "editor": {*CATALOGUE, "heldprice"},
    "approver": {"offering"},
    "operator": {"offering", "provider", "board", "deployment"},
}
ROLES = ("nobody", "viewer", "editor", "approver", "operator")


def member(role: str) -> Client:
    """A member of staff in one group, or in none."""
    ensure_groups()
    user = User.objects.create_user(f"a-{role}", is_staff=True)
    if role != "nobody":
        user.groups.add(Group.objects.get(name=role))
    client = Client(raise_request_exception=False)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def registered() -> list[str]:
    return sorted(f"{m._meta.app_label}_{m._meta.model_name}" for m in django_admin.site._registry)


def test_admin_shows_a_stranger_nothing_but_the_way_in(visitor: Client, board: HostileBoard) -> None:
    inside = [a.path for a in Maker(values_of(board)).addresses() if a.path.startswith("/admin/")]
    assert len(inside) > 50

    for method in ("get", "post"):
        answers = {path: getattr(visitor, method)(path) for path in inside if path not in OPEN_TO_ALL}
        wrong = {
            path: answer.status_code
            for path, answer in answers.items()
            if not (answer.status_code == 302 and answer["Location"].startswith("/admin/"))
        }
        assert wrong == {}


def test_account_that_is_no_staff_is_a_stranger_too(board: HostileBoard) -> None:
    client = Client()
    client.force_login(User.objects.create_user("eve"), backend="django.contrib.auth.backends.ModelBackend")

    for name in registered():
        answer = client.get(reverse(f"admin:{name}_changelist"))
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/admin/login/")


def test_public_addresses_take_no_changes(visitor: Client, board: HostileBoard) -> None:
    public = [a.path for a in Maker(values_of(board)).addresses() if not a.path.startswith("/admin/")]

    taken = {
        (method, path): status
        for path in public
        for method in ("post", "put", "patch", "delete")
        if (status := getattr(visitor, method)(path).status_code) not in (403, 404, 405)
    }

    assert taken == {}


@pytest.mark.parametrize("role", ROLES)
def test_each_role_opens_exactly_the_forms_it_was_given(board: HostileBoard, role: str) -> None:
    client = member(role)
    opened: dict[str, set[str]] = {"changelist": set(), "add": set()}
    for name in registered():
        for page, found in opened.items():
            status = client.get(reverse(f"admin:{name}_{page}")).status_code
            assert status in (200, 403), (name, page, status)
            if status == 200:
                found.add(name)

    assert opened["add"] == {f"catalogue_{m}" for m in MAY_ADD.get(role, ())}
    for name in opened["changelist"]:
        assert role != "nobody"
        assert name.partition("_")[0] in ("catalogue", "measurements", "ranking")


@pytest.mark.parametrize("role", ROLES)
def test_each_role_changes_and_deletes_nothing_else(board: HostileBoard, role: str) -> None:
    client = member(role)
    before = counts()

    for name in registered():
        model = apps.get_model(*name.split("_", 1))
        row = model._default_manager.first()
        if row is None:
            continue
        change = client.post(reverse(f"admin:{name}_change", args=[row.pk]), {}).status_code
        delete = client.post(reverse(f"admin:{name}_delete", args=[row.pk]), {"post": "yes"}).status_code
        allowed = name.partition("_")[2] in MAY_CHANGE.get(role, set()) and name.startswith("catalogue_")
        assert (change == 200) == allowed, (name, change)
        assert delete == 403, name

    assert counts() == before


def counts() -> dict[str, int]:
    labels = ("catalogue", "measurements", "ranking", "auth")
    return {
        model._meta.label: model._default_manager.count()
        for label in labels
        for model in apps.get_app_config(label).get_models()
    }


def run_action(client: Client, model: str, action: str, row: Any) -> int:
    form = {
        "action": action,
        "_selected_action": [row.pk],
        "confirmed": "1",
        "reason": "because",
        "until": "",
    }
    return int(client.post(reverse(f"admin:catalogue_{model}_changelist"), form).status_code)


def test_viewer_runs_no_action(board: HostileBoard) -> None:
    client = member("viewer")
    offering = board.offerings[0]

    for action in ("publish", "pause", "resume", "retire", "ask_for_review", "mark_prices_checked"):
        run_action(client, "offering", action, offering)
    for action in ("pause", "retire"):
        run_action(client, "provider", action, offering.provider)

    offering.refresh_from_db()
    provider = Provider.objects.get(pk=offering.provider_id)
    assert (offering.probe_state, offering.retired_on, provider.retired_on) == ("active", None, None)


@pytest.mark.parametrize(("role", "state"), [("editor", "pending_review"), ("approver", "active")])
def test_only_an_approver_publishes(board: HostileBoard, role: str, state: str) -> None:
    offering = board.offerings[0]
    Offering.objects.filter(pk=offering.pk).update(probe_state="pending_review")

    status = run_action(member(role), "offering", "publish", offering)

    offering.refresh_from_db()
    assert status == (302 if role == "approver" else 403)
    assert offering.probe_state == state
