"""A forgotten password of the admin: a link by mail, or, without a mail server, whom to ask.

The names are those that the admin's sign-in page looks for. Whoever asks often gets the same answer and no more mail:
a stranger can neither fill a mailbox nor learn which addresses have an account.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import PasswordResetForm
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import URLPattern, URLResolver, path

from leaderboard.exports.api.visitors import client_address

PAUSE_S = 3600
MAILS_TO_ONE_ADDRESS = 3
MAILS_FOR_ONE_VISITOR = 10


class Reset(views.PasswordResetView):
    extra_context = {"site_header": "Leaderboard administration"}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return super().dispatch(request, *args, **kwargs) if settings.MAIL_IS_SET else no_mail(request)

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        wanted_by, wanted_for = client_address(self.request), form.cleaned_data["email"].casefold()
        if is_within(wanted_by, MAILS_FOR_ONE_VISITOR) and is_within(wanted_for, MAILS_TO_ONE_ADDRESS):
            return super().form_valid(form)
        return redirect(self.get_success_url())


def is_within(who: str, limit: int) -> bool:
    """Counts one more, in this hour and in this web process: each process keeps its own count."""
    key = "password-reset-" + hashlib.sha256(who.encode()).hexdigest()
    cache.add(key, 0, PAUSE_S)
    try:
        return cache.incr(key) <= limit
    except ValueError:  # it ended in between
        return True


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
