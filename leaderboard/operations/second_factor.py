"""A second step at the admin's door, for whoever wants it: a code from an authenticator app beside the password.

django-otp keeps the devices, checks the codes (RFC 6238), takes none twice and slows guessing down. Here is what a
person meets: the field in the sign-in form, the page that sets the step up or ends it, and ten codes on paper.
"""

from __future__ import annotations

from typing import Any

import segno
from django import forms
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_otp import login, user_has_device, verify_token
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

PAPER_CODES = 10


class CodeRefused(Exception):
    """The code is missing, wrong or used; the words are for the person who typed it."""


class SignInForm(AdminAuthenticationForm):
    """Name and password, and a code from whoever set that up; a wrong code counts as a failed sign-in."""

    code = forms.CharField(
        required=False,
        max_length=16,
        label="Code, if you set up an authenticator",
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        user: Any = self.get_user()
        if user is not None and user_has_device(user):
            try:
                user.otp_device = device_that_accepts(user, str(cleaned.get("code") or ""))
            except CodeRefused as refused:
                user_login_failed.send(
                    sender=__name__, credentials={"username": user.get_username()}, request=self.request
                )
                raise forms.ValidationError(str(refused)) from None
        return cleaned


class BoardAdminSite(admin.AdminSite):
    """Who has an authenticator is inside only when this session has shown a code of it."""

    login_form = SignInForm

    def has_permission(self, request: HttpRequest) -> bool:
        return super().has_permission(request) and has_shown_what_they_set_up(request.user)


def has_shown_what_they_set_up(user: Any) -> bool:
    """The middleware of django-otp gives each user `is_verified`."""
    return user.is_verified() or not user_has_device(user)


def device_that_accepts(user: User, code: str) -> TOTPDevice | StaticDevice:
    """The device that took the code: six digits are the app's, anything else is one of those on paper.

    Raises CodeRefused.
    """
    typed = "".join(code.split()).lower()
    if not typed:
        raise CodeRefused("This account has a second step: enter the code your authenticator shows.")
    kind = TOTPDevice if typed.isdecimal() else StaticDevice
    device = kind.objects.filter(user=user, confirmed=True).first()
    if device is not None and not device.verify_is_allowed()[0]:
        raise CodeRefused("Too many wrong codes. Wait a minute and try the next one.")
    if device is None or verify_token(user, device.persistent_id, typed) is None:
        raise CodeRefused("This code is wrong, too old or used already. Wait for the next one.")
    return device


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def second_factor(request: HttpRequest) -> HttpResponse:
    """One's own second step: set up, given new paper codes, or ended. Each change asks for a code."""
    user: Any = request.user
    device = TOTPDevice.objects.filter(user=user).order_by("-confirmed", "pk").first()
    if device is None:
        device = TOTPDevice.objects.create(user=user, name="authenticator", confirmed=False)
    if request.method != "POST":
        return page(request, device)
    try:
        accepted = accepted_device(user, device, request.POST.get("code", ""))
    except CodeRefused as refused:
        return page(request, device, refused=str(refused))
    if "end" in request.POST:
        end_second_factor(user)
        return redirect("admin:index")
    with transaction.atomic():
        TOTPDevice.objects.filter(pk=device.pk).update(confirmed=True)
        codes = new_paper_codes(user)
    login(request, accepted)
    return page(request, TOTPDevice.objects.get(pk=device.pk), codes=codes)


def accepted_device(user: User, device: TOTPDevice, code: str) -> TOTPDevice | StaticDevice:
    """Before it is confirmed, only the new device's own codes count."""
    if device.confirmed:
        return device_that_accepts(user, code)
    if verify_token(user, device.persistent_id, "".join(code.split())) is None:
        raise CodeRefused(
            "This code is wrong or too old. Is the clock of your device right? Try the next one."
        )
    return device


def new_paper_codes(user: User) -> list[str]:
    """The old ones end. They are shown once, and each is good for one sign-in."""
    StaticDevice.objects.filter(user=user).delete()
    paper = StaticDevice.objects.create(user=user, name="paper")
    codes: list[str] = []
    while len(codes) < PAPER_CODES:
        code = StaticToken.random_token()
        if not code.isdecimal() and code not in codes:
            codes.append(code)
    paper.token_set.bulk_create([StaticToken(device=paper, token=code) for code in codes])
    return codes


def end_second_factor(user: User) -> int:
    """Number of devices that were taken away."""
    return sum(
        kind.objects.filter(user=user).delete()[1].get(kind._meta.label, 0)
        for kind in (TOTPDevice, StaticDevice)
    )


def page(request: HttpRequest, device: TOTPDevice, **context: Any) -> HttpResponse:
    if not device.confirmed:
        context |= {
            "picture": segno.make(device.config_url, micro=False).svg_data_uri(
                scale=5, border=4, light="#fff"
            ),
            "secret": spaced_secret(device),
        }
    paper = StaticToken.objects.filter(device__user=device.user).count()
    shown = {
        **admin.site.each_context(request),
        "title": "Second step at sign-in",
        "is_on": device.confirmed,
        "paper_codes_left": paper,
        **context,
    }
    return TemplateResponse(request, "admin/second_factor.html", shown)


def spaced_secret(device: TOTPDevice) -> str:
    """In groups of four, to be typed where no camera is."""
    secret = device.config_url.partition("secret=")[2].partition("&")[0]
    return " ".join(secret[start : start + 4] for start in range(0, len(secret), 4))


urlpatterns: list[URLPattern] = [
    path("admin/second-step/", admin.site.admin_view(second_factor), name="second_factor"),
]
