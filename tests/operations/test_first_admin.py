from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from leaderboard.operations.environment import EnvironmentProblem
from leaderboard.operations.first_admin import make_first_admin

pytestmark = pytest.mark.django_db


def test_generated_password_is_printed_once_and_works() -> None:
    line = make_first_admin({})
    again = make_first_admin({})

    assert line is not None
    words = line.split()
    assert words[:4] == ["admin", "login", "admin", "password"]
    assert len(words[4]) == 16
    assert User.objects.get(username="admin", is_superuser=True, is_staff=True).check_password(words[4])
    assert again is None


def test_admin_of_the_environment_is_never_printed() -> None:
    line = make_first_admin(
        {
            "DJANGO_SUPERUSER_USERNAME": "ada",
            "DJANGO_SUPERUSER_PASSWORD": "correct horse",
            "DJANGO_SUPERUSER_EMAIL": "ada@example.org",
        }
    )

    assert line is None
    user = User.objects.get(username="ada")
    assert user.check_password("correct horse")
    assert user.email == "ada@example.org"


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            {"DJANGO_SUPERUSER_USERNAME": "ada"},
            "DJANGO_SUPERUSER_USERNAME and DJANGO_SUPERUSER_PASSWORD belong together; set both or neither.",
        ),
        (
            {"DJANGO_SUPERUSER_PASSWORD": "correct horse"},
            "DJANGO_SUPERUSER_USERNAME and DJANGO_SUPERUSER_PASSWORD belong together; set both or neither.",
        ),
        (
            {"DJANGO_SUPERUSER_USERNAME": "a b", "DJANGO_SUPERUSER_PASSWORD": "correct horse"},
            "DJANGO_SUPERUSER_USERNAME may hold letters, digits and @ . + - _ only, at most 150.",
        ),
        (
            {"DJANGO_SUPERUSER_EMAIL": "nobody"},
            "DJANGO_SUPERUSER_EMAIL is not an address, as in admin@example.org.",
        ),
    ],
)
def test_malformed_variables_make_nobody(variables: dict[str, str], sentence: str) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        make_first_admin(variables)

    assert str(caught.value) == sentence
    assert not User.objects.exists()
