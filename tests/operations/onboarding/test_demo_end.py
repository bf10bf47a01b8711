from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from leaderboard.catalogue.models import Offering
from leaderboard.operations.demo import ENDED_BY_OPERATOR, load_demo

pytestmark = pytest.mark.django_db


def test_one_click_ends_the_demo_and_takes_the_button_away(client: Client) -> None:
    load_demo(8089)
    assert "End the demo" in client.get("/admin/").content.decode()

    answer = client.post("/admin/end-demo/", follow=True)

    page = answer.content.decode()
    assert "19 simulated offerings leave the board" in page
    assert "End the demo" not in page
    assert set(Offering.objects.values_list("probe_state", "retired_reason")) == {
        ("retired", ENDED_BY_OPERATOR)
    }


def test_only_operators_end_the_demo() -> None:
    load_demo(8089)
    reader = User.objects.create_user("grace", is_staff=True)
    client = Client()
    client.force_login(reader)

    assert client.post("/admin/end-demo/").status_code == 403
    assert client.get("/admin/end-demo/").status_code == 405
    assert "End the demo" not in client.get("/admin/").content.decode()
    assert Offering.objects.filter(probe_state="active").count() == 19
