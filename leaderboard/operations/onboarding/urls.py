from __future__ import annotations

from django.contrib import admin
from django.urls import path

from leaderboard.operations.onboarding import csv_views, demo_views, money, offer_views, views

app_name = "onboarding"
guarded = admin.site.admin_view

urlpatterns = [
    path("import-csv/", guarded(csv_views.import_csv), name="import-csv"),
    path("measure/", guarded(offer_views.measure), name="measure"),
    path("end-demo/", guarded(demo_views.end), name="end-demo"),
    path("spending/", guarded(money.spending), name="spending"),
    path("spending.csv", guarded(money.spending_csv), name="spending-csv"),
    path("price-agreement/", guarded(money.agreement), name="agreement"),
    path("add-provider/", guarded(views.add_provider), name="add"),
    path("add-provider/<slug:slug>/models/", guarded(views.choose_models), name="models"),
    path("add-provider/<slug:slug>/", guarded(views.finish), name="finish"),
    path("add-provider/<slug:slug>/prices/", guarded(views.save_prices), name="prices"),
    path("add-provider/<slug:slug>/probe/", guarded(views.probe_now), name="probe"),
    path("add-provider/<slug:slug>/publish/", guarded(views.publish), name="publish"),
    path("add-provider/<slug:slug>/test/", guarded(views.test_provider), name="test"),
]
