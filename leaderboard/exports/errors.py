"""Errors of files and interfaces: one JSON shape, {"error": {code, message, docs}}, whatever was asked for."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse

DOCS = "/api/"


class Refusal(Exception):
    """The request cannot be answered as asked; the message says what to send instead."""

    def __init__(self, status: int, code: str, message: str, **more: object) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.more = more


def error_response(status: int, code: str, message: str, **more: object) -> JsonResponse:
    response = JsonResponse(
        {"error": {"code": code, "message": message, "docs": DOCS, **more}}, status=status
    )
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = "no-store" if status >= 500 else "public, max-age=60"
    return response


def not_found(request: HttpRequest, path: str = "") -> JsonResponse:
    """What any unknown address that ends in .json answers."""
    return error_response(404, "not_found", f"There is no {request.path} here.")
