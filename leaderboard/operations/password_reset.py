"""A forgotten password of the admin: a link by mail, or, without a mail server, whom to ask.

The names are those that the admin's sign-in page looks for.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, path


class Reset(views.PasswordResetView):
    extra_context = {"site_header": "Leaderboard administration"}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return super().dispatch(request, *args, **kwargs) if settings.MAIL_IS_SET else no_mail(request)


def no_mail(request: HttpRequest) -> HttpResponse:
    return render(request, "admin/no_mail.html")


urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/password_reset/", Reset.as_view(), name="admin_password_reset"),
    path("admin/password_reset/done/", views.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path(
        "admin/reset/<uidb64>/<token>/",
        views.PasswordResetConfirmView.as_view(),
        name="password_reset_confirm",
    ),
    path("admin/reset/done/", views.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
]
