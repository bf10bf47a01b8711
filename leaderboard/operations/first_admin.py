"""The first person who may enter the admin: named by the environment, or made up and printed once."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from leaderboard.operations.environment import EnvironmentProblem

# No characters that look alike when copied from a screen.
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
PASSWORD_LENGTH = 16


def make_first_admin(variables: Mapping[str, str] = os.environ) -> str | None:
    """Make an administrator where there is none; the line to print for a generated password, else None.

    A password from the environment is never printed.
    """
    if User.objects.filter(is_superuser=True).exists():
        return None
    name = variables.get("DJANGO_SUPERUSER_USERNAME", "").strip()
    password = variables.get("DJANGO_SUPERUSER_PASSWORD", "")
    email = checked_email(variables.get("DJANGO_SUPERUSER_EMAIL", "").strip())
    if bool(name) != bool(password):
        raise EnvironmentProblem(
            "DJANGO_SUPERUSER_USERNAME and DJANGO_SUPERUSER_PASSWORD belong together; set both or neither."
        )
    if name:
        User.objects.create_superuser(checked_name(name), email, password)
        return None
    generated = "".join(secrets.choice(ALPHABET) for _ in range(PASSWORD_LENGTH))
    User.objects.create_superuser("admin", email, generated)
    return f"admin login admin password {generated}"


def checked_email(email: str) -> str:
    if email:
        try:
            validate_email(email)
        except ValidationError:
            raise EnvironmentProblem(
                "DJANGO_SUPERUSER_EMAIL is not an address, as in admin@example.org."
            ) from None
    return email


def checked_name(name: str) -> str:
    try:
        User._meta.get_field("username").run_validators(name)
    except ValidationError:
        raise EnvironmentProblem(
            "DJANGO_SUPERUSER_USERNAME may hold letters, digits and @ . + - _ only, at most 150."
        ) from None
    return name
