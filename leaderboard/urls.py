"""Addresses: composition only; each part keeps its own list."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("leaderboard.operations.password_reset")),
    path("", include("leaderboard.operations.second_factor")),
    path("admin/", include("leaderboard.operations.onboarding.urls")),
    path("admin/", admin.site.urls),
    path("", include("leaderboard.operations.urls")),
    path("", include("leaderboard.exports.urls")),
    path("", include("leaderboard.pages.urls")),
]
