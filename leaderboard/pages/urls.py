"""Addresses of pages."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path, re_path

from leaderboard.pages.views import (
    cards,
    choose,
    documents,
    embeds,
    explore,
    home,
    lists,
    machines,
    news,
    offering,
    pictures,
    self_hosted,
    subjects,
    trade,
)

GPU_CHARTS = "throughput|cost|break-even"
PICTURE = r"(?P<ending>svg|png)$"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("offerings/", lists.offerings, name="offerings"),
    path("models/", lists.models, name="models"),
    path("providers/", lists.providers, name="providers"),
    path("self-hosted/", self_hosted.self_hosted, name="self-hosted"),
    path("self-hosted/<str:endpoint>/", self_hosted.endpoint, name="self-hosted-endpoint"),
    re_path(rf"^self-hosted\.{PICTURE}", self_hosted.chart),
    re_path(rf"^self-hosted/(?P<endpoint>[^/]+)\.{PICTURE}", self_hosted.chart),
    re_path(rf"^self-hosted/(?P<endpoint>[^/]+)/(?P<chart>{GPU_CHARTS})\.{PICTURE}", self_hosted.chart),
    re_path(rf"^charts/gpu-(?P<chart>{GPU_CHARTS})\.{PICTURE}", self_hosted.chart),
    path("models/<str:creator>/<str:model>/", subjects.model, name="model"),
    path("providers/<str:provider>/", subjects.provider, name="provider"),
    path("offerings/<str:offering_id>/", offering.offering, name="offering"),
    path("methodology/", documents.methodology, name="methodology"),
    path("methodology/<str:version>/", documents.methodology, name="methodology-version"),
    path("glossary/", documents.glossary, name="glossary"),
    path("about/", documents.about, name="about"),
    path("corrections/", documents.corrections, name="corrections"),
    path("api/", documents.api, name="api"),
    path("changes/", news.changes, name="changes"),
    path("status/", news.status, name="status"),
    path("search", news.search, name="search"),
    path("robots.txt", machines.robots),
    path("sitemap.xml", machines.sitemap),
    path("llms.txt", machines.llms),
    path(".well-known/security.txt", machines.security),
    path("charts/specs/<str:key>", explore.spec),
    path("frontier/", trade.frontier, name="frontier"),
    path("choose/", choose.choosing, name="choose"),
    path("compare/", trade.compare, name="compare"),
    path("embed/", embeds.how_to, name="embedding"),
    path("embed/<path:place>/", embeds.embed, name="embed"),
    path("oembed", embeds.oembed, name="oembed"),
    re_path(r"^og/(?P<place>.+)\.png$", cards.card_picture),
    re_path(rf"^charts/(?P<place>speed|ttft|tradeoff|catalogue)\.{PICTURE}", pictures.chart),
    re_path(rf"^(?P<place>frontier|compare|offerings|models|providers)\.{PICTURE}", pictures.chart),
    re_path(rf"^models/(?P<creator>[^/]+)/(?P<model>[^/]+)\.{PICTURE}", pictures.model_chart),
    re_path(rf"^providers/(?P<provider>[^/]+)\.{PICTURE}", pictures.provider_chart),
    re_path(rf"^offerings/(?P<offering_id>[^/]+)\.{PICTURE}", pictures.offering_chart),
]
