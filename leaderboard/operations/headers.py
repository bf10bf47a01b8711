"""Headers of every response, errors and static files included, that no other middleware sets."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

NO_FEATURES = ", ".join(
    f"{feature}=()"
    for feature in (
        *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer"),
        *("microphone", "midi", "payment", "usb"),
    )
)


def strict_headers(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """No page uses a device, no old plug-in reads across the origin, and only the admin sets a cookie."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Permissions-Policy", NO_FEATURES)
        response.headers.setdefault("X-Permitted-Cross-Domain-Policies", "none")
        if not request.path.startswith("/admin/"):
            response.cookies.clear()  # a visitor's dead session would be told to go
        return response

    return answer
