from __future__ import annotations

import html
import re
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.catalogue.models import Offering, Provider
from tests.factories import make_model, make_offering, make_price, make_provider

pytestmark = pytest.mark.django_db

WHERE = "/admin/import-csv/"
HEADER = "provider,model,model_id,base_url,input,output,unit,precision,listed\r\n"


def upload(client: Client, *rows: str, header: str = HEADER) -> Any:
    file = SimpleUploadedFile("offers.csv", (header + "\r\n".join(rows)).encode())
    return client.post(WHERE, {"file": file}, follow=True)


def text_of(response: Any) -> str:
    return html.unescape(response.content.decode())


def apply(client: Client, shown: Any) -> Any:
    page = shown.content.decode()
    digest = re.search(r'name="digest" value="([0-9a-f]{16})"', page)
    kept = re.search(r'<textarea name="text" hidden>(.*?)</textarea>', page, re.DOTALL)
    assert digest is not None
    assert kept is not None
    form = {"apply": "Apply", "digest": digest[1], "text": html.unescape(kept[1]).lstrip("\n")}
    return client.post(WHERE, form, follow=True)


GPT = "Alfa Inference,gpt-oss-120b,,https://api.example.com/v1,0.15,0.6,per_1m,,"


def test_rows_are_shown_first_and_applied_then(client: Client) -> None:
    shown = upload(
        client, GPT, "Alfa Inference,odd,,,1,2,per_1m,,", "Alfa Inference,=cmd(),maker/m,,1,2,per_1m,fp8,"
    )

    assert "2 accept, 1 hold" in text_of(shown)
    assert not Provider.objects.exists()
    apply(client, shown)
    assert set(Offering.objects.values_list("public_id", "provider_model_name", "quantization")) == {
        ("alfa-inference~gpt-oss-120b", "gpt-oss-120b", "undisclosed"),
        ("alfa-inference~m~fp8", "=cmd()", "fp8"),
    }
    assert Provider.objects.get().base_url == "https://api.example.com/v1"


def test_same_file_twice_changes_nothing(client: Client) -> None:
    apply(client, upload(client, GPT))

    again = upload(client, GPT, GPT)

    assert "2 update" in text_of(again)
    assert text_of(again).count("changes nothing") == 2
    apply(client, again)
    assert Offering.objects.get().prices.count() == 1


def test_new_price_is_appended_and_an_unlisted_model_retired(client: Client) -> None:
    provider = make_provider(name="Alfa Inference")
    kept = make_offering(provider=provider, provider_model_name="gpt-oss-120b", public_id="alfa~a")
    make_price(kept)
    gone = make_offering(provider=provider, provider_model_name="old", public_id="alfa~b", model=make_model())

    apply(client, upload(client, GPT, "Alfa Inference,old,,,,,,,false"))

    assert [price.input_usd_per_mtok for price in kept.prices.all()] == [Decimal("0.15"), Decimal("0.10")]
    gone.refresh_from_db()
    assert (gone.probe_state, gone.retired_reason) == ("retired", "The provider no longer lists it.")


def test_outdated_preview_is_refused(client: Client) -> None:
    shown = upload(client, GPT)
    make_offering(
        provider=make_provider(name="Alfa Inference"), provider_model_name="gpt-oss-120b", public_id="alfa~a"
    )

    refused = apply(client, shown)

    assert "The catalogue or the file changed since this preview. Preview again." in text_of(refused)


@pytest.mark.parametrize(
    ("header", "row", "sentence"),
    [
        ("provider,model,mood\r\n", "a,b,good", "Unknown column 'mood'."),
        ("provider\r\n", "a", "The columns provider and model are needed."),
        ("provider,model\r\n", "a,b,c", "Line 2 has another number of cells than the header."),
        ("provider,model\r\n", '"a,b', "is no CSV"),
    ],
)
def test_file_that_is_none_is_refused_in_a_sentence(
    client: Client, header: str, row: str, sentence: str
) -> None:
    assert sentence in text_of(upload(client, row, header=header))
