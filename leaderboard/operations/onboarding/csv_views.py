"""Import a CSV: upload or paste, see what each row will do, apply."""

from __future__ import annotations

import datetime as dt

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.operations.onboarding.csv_rows import (
    COLUMNS,
    MOST_BYTES,
    BadCsv,
    RowsOutdated,
    import_rows,
    preview_rows,
)
from leaderboard.operations.onboarding.views import page, person


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_csv(request: HttpRequest) -> HttpResponse:
    user = person(request)
    if request.method != "POST":
        return page(request, "import_csv", "Import a CSV", columns=COLUMNS)
    now = dt.datetime.now(dt.UTC)
    try:
        text = posted_text(request)
        if "apply" in request.POST:
            done = import_rows(text, user, now=now, digest=request.POST.get("digest", ""))
            said = ", ".join(f"{count} {action}" for action, count in done.counts.items())
            messages.success(request, f"Imported: {said}.")
            return redirect("onboarding:import-csv")
        found = preview_rows(text, user, now=now)
    except (BadCsv, RowsOutdated) as problem:
        messages.error(request, str(problem))
        return redirect("onboarding:import-csv")
    return page(request, "import_csv", "Import a CSV", columns=COLUMNS, preview=found, text=text)


def posted_text(request: HttpRequest) -> str:
    """The uploaded file, else what was pasted. Raises BadCsv."""
    file = request.FILES.get("file")
    if file is None:
        return str(request.POST.get("text", ""))
    if (file.size or 0) > MOST_BYTES:
        raise BadCsv(f"The file has more than {MOST_BYTES} bytes.")
    try:
        return str(file.read(), "utf-8")
    except UnicodeDecodeError:
        raise BadCsv("The file is not UTF-8. Save it as UTF-8 and try again.") from None
