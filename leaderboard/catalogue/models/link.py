"""A link to a page; typed without a scheme it is taken as https."""

from __future__ import annotations

from typing import Any

from django.db import models


class LinkField(models.URLField):  # type: ignore[type-arg]
    """Django's URLField, whose form would still add http to a bare host; the column is the same."""

    def formfield(self, **kwargs: Any) -> Any:
        return super().formfield(**{"assume_scheme": "https", **kwargs})

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.URLField", args, kwargs
