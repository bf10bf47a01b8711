"""Addresses of pages."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, re_path

from leaderboard.pages.views import home, pictures

PICTURE = r"(?P<ending>svg|png)$"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    re_path(rf"^charts/(?P<chart>[a-z]+)\.{PICTURE}", pictures.home_chart),
]
