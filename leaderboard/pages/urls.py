"""Addresses of pages."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, re_path

from leaderboard.pages.views import home, lists, pictures

PICTURE = r"(?P<ending>svg|png)$"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("offerings/", lists.offerings, name="offerings"),
    path("models/", lists.models, name="models"),
    path("providers/", lists.providers, name="providers"),
    re_path(rf"^(?P<view>offerings|models|providers)\.{PICTURE}", pictures.list_chart),
    re_path(rf"^charts/(?P<chart>[a-z]+)\.{PICTURE}", pictures.home_chart),
]
