from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from tests.factories import make_offering

pytestmark = pytest.mark.django_db


def test_offering_is_one_per_provider_model_and_variant() -> None:
    offering = make_offering(public_id="acme~m")

    with pytest.raises(IntegrityError, match="one_offering_per_provider_model_variant"), transaction.atomic():
        make_offering(public_id="acme~m~again", provider=offering.provider, model=offering.model)

    make_offering(public_id="acme~m~fast", provider=offering.provider, model=offering.model, variant="fast")
