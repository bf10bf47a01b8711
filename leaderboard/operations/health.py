"""Whether the board works: alive (/healthz) and ready for visitors (/readyz)."""

from __future__ import annotations

import functools
from collections.abc import Callable

import kombu
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

BROKER_TIMEOUT_S = 2


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; asks nothing of others."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 with each part "ok", or 503 with a sentence for each part that is missing."""
    found = {name: look() for name, look in PARTS.items()}
    missing = {name: problem for name, problem in found.items() if problem is not None}
    answer = {"ready": not missing, "missing": missing} | {
        name: "missing" if problem else "ok" for name, problem in found.items()
    }
    return JsonResponse(answer, status=503 if missing else 200)


def missing_database() -> str | None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("select 1")
    except Error:
        return "The database does not answer."
    return None


def missing_migrations() -> str | None:
    """Looks until it once found none missing: a running process never loses migrations."""
    if all_migrated.cache_info().currsize:
        return None
    try:
        all_migrated()
    except (Error, NotMigratedError):
        return "Migrations are missing; run manage.py migrate."
    return None


class NotMigratedError(Exception):
    pass


@functools.cache
def all_migrated() -> bool:
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise NotMigratedError
    return True


def missing_broker() -> str | None:
    """Opening a channel asks the broker for an answer, whichever it is."""
    try:
        with kombu.Connection(settings.CELERY_BROKER_URL, connect_timeout=BROKER_TIMEOUT_S) as broker:
            broker.ensure_connection(max_retries=0, timeout=BROKER_TIMEOUT_S)
            assert broker.default_channel  # noqa: S101 opening it is the question
    except Exception:  # every transport has errors of its own
        return "The message broker does not answer."
    return None


def missing_static() -> str | None:
    manifest = getattr(staticfiles_storage, "hashed_files", None)
    return None if manifest else "Static files are missing; run manage.py collectstatic."


PARTS: dict[str, Callable[[], str | None]] = {
    "database": missing_database,
    "migrations": missing_migrations,
    "broker": missing_broker,
    "static": missing_static,
}
