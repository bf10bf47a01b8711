from __future__ import annotations

import pytest
from django.test import Client

from .boards import make_three_models
from .html import read

pytestmark = pytest.mark.django_db


def test_trade_off_names_the_spec_it_was_drawn_from(client: Client) -> None:
    make_three_models()
    figure = read(client.get("/").content).one("figure", data_chart="tradeoff")

    response = client.get(figure.attributes["data-spec"])

    assert response.json()["usermeta"]["labelled"] == ["maker/soon", "maker/fast"]
    assert response["Cache-Control"] == "public, max-age=86400, immutable"
    assert figure.attributes["data-vega"] == "/static/vega.js"


def test_unknown_spec_is_404(client: Client) -> None:
    assert client.get("/charts/specs/tradeoff-0000").status_code == 404
