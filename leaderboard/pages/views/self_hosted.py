"""Own GPUs beside paid APIs: the page of all endpoints with its calculator, and one page for each endpoint."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.catalogue.models import Deployment
from leaderboard.charts.pictures import Figure, pictures, with_origin
from leaderboard.charts.self_hosted import looks_of, self_hosted_figures
from leaderboard.charts.standalone import Imprint, standalone
from leaderboard.charts.theme import WIDE
from leaderboard.pages import gpu_sums, own_gpus
from leaderboard.pages.gpu_facts import facts
from leaderboard.pages.gpu_levels import level_figures
from leaderboard.pages.numbers import instant
from leaderboard.pages.requests import page
from leaderboard.ranking.calculator import Calculation, parse_calculation
from leaderboard.ranking.endpoint_view import (
    EndpointView,
    endpoint_view,
    one_endpoint_view,
    past_sweeps,
)
from leaderboard.ranking.endpoints import GpuEndpointRow, gpu_endpoint_rows
from leaderboard.ranking.which_gpu import Answer, answers, parse_question

PAGE = "/self-hosted/"


@page
def self_hosted(request: HttpRequest) -> HttpResponse:
    calculation, question = parse_calculation(request.GET), parse_question(request.GET)
    view = endpoint_view(calculation, now=dt.datetime.now(dt.UTC))
    context = view_context(view, request.path) | {
        "question": question,
        "answers": [answer_words(answer) for answer in answers(question, view.rows)],
        "sentences": own_gpus.summary_sentences(view),
    }
    return render(request, "pages/self_hosted.html", context)


def view_context(view: EndpointView, path: str) -> dict[str, Any]:
    """What both pages show of a view; `path` is the page's own."""
    row = view.best(view.chosen_endpoint)
    return {
        **addresses(view, path),
        "section": "self-hosted",
        "view": view,
        "calculation": view.calculation,
        "canonical_query": Calculation(model=view.calculation.model).query(),
        "pictures": pictures(figures_of(view)) if view.rows else {},
        "key": own_gpus.key_entries(view.endpoints, looks_of(view.rows)),
        "row": row,
        "sum": own_gpus.cost_sum(row, view.calculation.display) if row else "",
        "owned": own_gpus.owned_against_rented(row, view.calculation),
        "break_evens": break_even_table(view, row),
        "costless": ", ".join(
            name for name, rows in view.endpoints.items() if rows[0].hourly_cost_usd is None
        ),
        "heads": own_gpus.heads(view.calculation),
    }


def addresses(view: EndpointView, path: str) -> dict[str, str]:
    """The page's siblings with its own query: files, pictures, and the other unit."""
    calculation, stem = view.calculation, path.rstrip("/")
    pictured = "/charts/gpu-"
    if path != PAGE:  # the path says which endpoint
        calculation, pictured = replace(calculation, endpoint=""), f"{stem}/"
    query = calculation.query()
    tail = f"?{query}" if query else ""
    found = {
        "page_path": path,
        "query": query,
        "csv": f"{stem}.csv{tail}",
        "json": f"{stem}.json{tail}",
        "query_per_token": calculation.query(display="usd_per_mtok"),
        "query_per_usd": calculation.query(display="tokens_per_usd"),
    }
    for chart in ("throughput", "cost", "break-even"):
        for ending in ("svg", "png"):
            found[f"{ending}_{chart.replace('-', '_')}"] = f"{pictured}{chart}.{ending}{tail}"
    return found


def figures_of(view: EndpointView) -> list[Figure]:
    return self_hosted_figures(
        view.rows,
        view.asked.cheapest(),
        simulated=view.simulated,
        display=view.calculation.display,
        ttft_max_ms=view.calculation.ttft_max_ms,
        speed_min_tps=view.calculation.speed_min_tps,
    )


def break_even_table(view: EndpointView, row: GpuEndpointRow | None) -> list[dict[str, Any]]:
    if row is None:
        return []
    return [
        {
            "found": found,
            "words": own_gpus.break_even_words(found),
            "note": own_gpus.not_like_for_like(found, row),
        }
        for found in view.break_evens(row)
    ]


def answer_words(answer: Answer) -> dict[str, Any]:
    return {
        "candidate": answer.candidate,
        "measured": answer.measured,
        "memory": gpu_sums.memory_sum(answer.candidate),
        "speed": gpu_sums.speed_sum(answer.candidate),
    }


@page
def endpoint(request: HttpRequest, endpoint: str) -> HttpResponse:
    deployment = public_deployment(endpoint)
    view = one_endpoint_view(parse_calculation(request.GET), endpoint, now=dt.datetime.now(dt.UTC))
    everything = gpu_endpoint_rows(endpoint_id=endpoint, with_excluded=True)
    newest = max((row.measured_at for row in everything), default=None)
    context = view_context(view, request.path) | {
        "deployment": deployment,
        "sweeps": past_sweeps(everything),
        "left_out": [row for row in everything if row.excluded and row.measured_at == newest],
        "levels": [level_figures(row) for row in everything if row.figures and row.measured_at == newest],
        "facts": facts(deployment),
    }
    return render(request, "pages/self_hosted_endpoint.html", context)


def public_deployment(endpoint_id: str) -> Deployment:
    """Raises Http404 for one that is unknown or not shown."""
    deployment = (
        Deployment.objects.filter(endpoint_id=endpoint_id, is_public=True)
        .select_related("offering__provider", "offering__model", "gpu")
        .first()
    )
    if deployment is None:
        raise Http404
    return deployment


@page
def chart(request: HttpRequest, ending: str, chart: str = "throughput", endpoint: str = "") -> HttpResponse:
    """One of the three figures of either page as a picture of its own."""
    calculation, now = parse_calculation(request.GET), dt.datetime.now(dt.UTC)
    if endpoint:
        public_deployment(endpoint)
        view = one_endpoint_view(calculation, endpoint, now=now)
    else:
        view = endpoint_view(calculation, now=now)
    figure = next((f for f in figures_of(view) if f.chart == f"gpu-{chart}"), None)
    if figure is None or not view.rows:
        raise Http404
    return picture_of(request, figure, view, ending)


def picture_of(request: HttpRequest, figure: Figure, view: EndpointView, ending: str) -> HttpResponse:
    origin = f"{request.scheme}://{request.get_host()}"
    svg = with_origin(pictures([figure])[figure.chart].svgs[WIDE], origin)
    imprint = Imprint(
        title=f"{figure.label}: {view.model_name}",
        as_of=instant(view.measured_at) if view.measured_at else "no sweep yet",
        method=view.rows[0].methodology_version,
        address=f"{origin}{request.path.rpartition('.')[0]}",
    )
    alone = standalone(svg, imprint)
    if ending == "svg":
        return HttpResponse(alone, content_type="image/svg+xml; charset=utf-8")
    # Imported here: vl-convert costs memory that a process serving pages alone is spared.
    from leaderboard.charts.rendering import draw_png

    return HttpResponse(draw_png(alone), content_type="image/png")
