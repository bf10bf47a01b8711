"""The add-a-provider flow: each page works by form and link alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.catalogue import review
from leaderboard.catalogue.admin.price import save_appended
from leaderboard.catalogue.admin.recording import acting_user
from leaderboard.catalogue.budgets import cap_warning, forecast
from leaderboard.catalogue.credentials import MAY_DIRECT_KEYS, CredentialsProblem
from leaderboard.catalogue.models import Offering, ProbeState, Provider
from leaderboard.operations.onboarding import choosing, finishing
from leaderboard.operations.onboarding.connection import ConnectionTest, Line
from leaderboard.operations.onboarding.forms import ProviderDraftForm
from leaderboard.operations.onboarding.listing import ChosenModels, fetch_models
from leaderboard.operations.onboarding.presets import PRESETS
from leaderboard.operations.onboarding.retesting import endpoint_to_test, keep_outcome

TESTS_A_MINUTE = 5
LINES_HERE = "<!-- the lines of the test -->"


def person(request: HttpRequest) -> User:
    user = acting_user(request)
    if user is None or not user.has_perms(["catalogue.add_provider", "catalogue.add_offering"]):
        raise PermissionDenied
    return user


def page(request: HttpRequest, template: str, title: str, **context: Any) -> TemplateResponse:
    shown = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, f"admin/onboarding/{template}.html", shown)


def draft_form(user: User, posted: QueryDict | None = None) -> ProviderDraftForm:
    return ProviderDraftForm(posted, holder=str(user.pk), may_direct_keys=user.has_perm(MAY_DIRECT_KEYS))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def add_provider(request: HttpRequest) -> HttpResponseBase:
    user = person(request)
    if request.method != "POST":
        return page(request, "add_provider", "Add a provider", form=draft_form(user))
    form = draft_form(user, request.POST)
    if not form.is_valid():
        return page(request, "add_provider", "Add a provider", form=form.again(), errors=form.errors)
    if "test" in request.POST:
        if not may_test(request):
            wait = [Line(False, f"{TESTS_A_MINUTE} tests a minute are enough for now. Wait a little.")]
            return page(request, "add_provider", "Add a provider", form=form.again(), lines=wait)
        return stream_test(request, ConnectionTest(form.endpoint()), form.again())
    try:
        provider = form.save(user)
    except CredentialsProblem as problem:
        form.add_error("api_key", str(problem))
        return page(request, "add_provider", "Add a provider", form=form.again(), errors=form.errors)
    request.session[f"preset:{provider.slug}"] = form.preset_chosen.slug
    return redirect("onboarding:models", slug=provider.slug)


def may_test(request: HttpRequest) -> bool:
    """At most five tests in any minute of one session."""
    now = dt.datetime.now(dt.UTC).timestamp()
    recent = [at for at in request.session.get("connection_tests", []) if now - at < 60]
    if len(recent) >= TESTS_A_MINUTE:
        return False
    request.session["connection_tests"] = [*recent, now]
    return True


def stream_test(
    request: HttpRequest,
    test: ConnectionTest,
    form: ProviderDraftForm | None,
    provider: Provider | None = None,
) -> StreamingHttpResponse:
    """The page in two halves with the lines between them, each sent as it is found."""
    context = {
        **admin.site.each_context(request),
        "title": "Add a provider" if form else f"Test connection of {provider}",
        "form": form,
        "provider": provider,
        "lines_here": LINES_HERE,
    }
    template = "add_provider" if form else "test_provider"
    head, _, tail = render_to_string(f"admin/onboarding/{template}.html", context, request).partition(
        LINES_HERE
    )

    def stream() -> Iterator[str]:
        yield head
        lines = []
        for line in test.run():
            lines.append(line)
            yield show_line(line)
        if provider is not None:
            keep_outcome(provider, lines, now=dt.datetime.now(dt.UTC))
        yield tail

    answer = StreamingHttpResponse(stream())
    answer["Cache-Control"] = "no-store"
    answer["X-Accel-Buffering"] = "no"
    return answer


def show_line(line: Line) -> str:
    state = {True: "good", False: "bad", None: "told"}[line.ok]
    return format_html(
        '<li class="line-{}"><b aria-hidden="true">{}</b> {}</li>\n', state, line.mark, line.text
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def test_provider(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The test again for a saved provider, with its stored key; only the outcome is kept."""
    person(request)
    provider = get_object_or_404(Provider, slug=slug)
    if request.method != "POST":
        return page(request, "test_provider", f"Test connection of {provider}", provider=provider)
    if not may_test(request):
        messages.error(request, f"{TESTS_A_MINUTE} tests a minute are enough for now. Wait a little.")
        return redirect("onboarding:test", slug=slug)
    return stream_test(request, ConnectionTest(endpoint_to_test(provider)), None, provider)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def choose_models(request: HttpRequest, slug: str) -> HttpResponse:
    user = person(request)
    provider = get_object_or_404(Provider, slug=slug)
    if request.method != "POST":
        listed, problem = fetch_models(provider)
        request.session[f"models:{slug}"] = [model.name for model in listed]
        matches = choosing.match_models(listed)
        return page(
            request,
            "choose_models",
            f"Choose models of {provider}",
            provider=provider,
            matches=matches,
            problem=problem,
        )
    chosen = ChosenModels(request.POST)
    capabilities = PRESETS[request.session.get(f"preset:{slug}", "openai")].capabilities
    now = dt.datetime.now(dt.UTC)
    if "create" in request.POST:
        digest = request.POST.get("digest", "")
        try:
            done = choosing.create(
                provider, chosen.choices, user, now=now, digest=digest, capabilities=capabilities
            )
        except choosing.PreviewOutdated as outdated:
            messages.error(request, str(outdated))
        else:
            messages.success(request, done.done_sentence)
            return redirect("onboarding:finish", slug=slug)
    found = choosing.preview(provider, chosen.choices, user, now=now)
    return page(
        request, "preview", f"Preview for {provider}", provider=provider, preview=found, chosen=chosen
    )


@never_cache
@require_safe
def finish(request: HttpRequest, slug: str) -> HttpResponse:
    user = person(request)
    provider = get_object_or_404(Provider, slug=slug)
    return finish_page(request, provider, user)


def finish_page(
    request: HttpRequest, provider: Provider, user: User, grid: list[finishing.GridRow] | None = None
) -> HttpResponse:
    offerings = list(finishing.offerings_in_hand(provider))
    progress = finishing.progress_of(offerings)
    board = review.the_board()
    forecasted = forecast(offerings, at=dt.datetime.now(dt.UTC))
    return page(
        request,
        "finish",
        f"Prices and probes of {provider}",
        provider=provider,
        offerings=offerings,
        grid=grid or finishing.price_grid(offerings, None),
        progress=progress,
        is_waiting=any(row.is_waiting for row in progress) and grid is None,
        forecast=forecasted,
        cap_warning=cap_warning(provider, board, forecasted),
        can_approve=finishing.can_approve(user, offerings, two_person=board.two_person_review),
        two_person=board.two_person_review,
        unpublished=[o for o in offerings if o.probe_state != ProbeState.ACTIVE],
        published=[o for o in offerings if o.probe_state == ProbeState.ACTIVE],
    )


@require_http_methods(["POST"])
def save_prices(request: HttpRequest, slug: str) -> HttpResponse:
    user = person(request)
    provider = get_object_or_404(Provider, slug=slug)
    grid = finishing.price_grid(finishing.offerings_in_hand(provider), request.POST)
    changed = [row for row in grid if row.form.has_changed()]
    if not all(row.form.is_valid() for row in changed):
        return finish_page(request, provider, user, grid)
    now = dt.datetime.now(dt.UTC)
    for row in changed:
        price = row.form.save(commit=False)
        price.source = "provider_page"
        save_appended(request, [price], now=now)
        review.note_edit(row.offering, user)
        row.offering.save()
    messages.success(request, f"{len(changed)} prices saved, checked today. Empty ones stay unknown.")
    return redirect("onboarding:finish", slug=slug)


def chosen_offerings(request: HttpRequest, provider: Provider) -> list[Offering]:
    wanted = set(request.POST.getlist("offering"))
    return [o for o in finishing.offerings_in_hand(provider) if str(o.pk) in wanted]


@require_http_methods(["POST"])
def probe_now(request: HttpRequest, slug: str) -> HttpResponse:
    user = person(request)
    if not user.has_perm("catalogue.probe_offering"):
        raise PermissionDenied
    provider = get_object_or_404(Provider, slug=slug)
    offerings = chosen_offerings(request, provider)
    forbidden = provider.probing_forbidden
    problem = forbidden or ("" if offerings else "Tick at least one offering to probe.")
    problem = problem or finishing.ask_for_probes(offerings)
    if problem:
        messages.error(request, problem)
    return redirect("onboarding:finish", slug=slug)


@require_http_methods(["POST"])
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish, or ask someone else to: by the button pressed."""
    user = person(request)
    provider = get_object_or_404(Provider, slug=slug)
    asks = "review" in request.POST
    if not asks and not user.has_perm("catalogue.publish_offering"):
        raise PermissionDenied
    for offering in chosen_offerings(request, provider):
        try:
            if asks:
                review.ask_for_review(offering, user)
            else:
                review.publish(offering, user, now=dt.datetime.now(dt.UTC), note=request.POST.get("note", ""))
        except review.ReviewProblem as problem:
            messages.error(request, f"{offering}: {problem}")
        else:
            messages.success(request, told(offering, asks=asks))
    return redirect("onboarding:finish", slug=slug)


def told(offering: Offering, *, asks: bool) -> str:
    if asks:
        return f"{offering} waits for review."
    return format_html(
        'Published. <a href="/offerings/{}/">{}</a> stands on the leaderboard from the next snapshot, '
        "within a minute; unranked until it has enough samples.",
        offering.public_id,
        offering.public_id,
    )
