from __future__ import annotations

from django.apps import apps


def test_admin_names_no_table_by_an_s_too_many() -> None:
    names = [str(model._meta.verbose_name_plural) for model in apps.get_models()]

    assert [name for name in names if name.endswith(("ys", "ss"))] == []
