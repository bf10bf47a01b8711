"""Django's admin with our own door. Apart from apps.py, where a second configuration would be taken for this app's."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class BoardAdminConfig(AdminConfig):
    default_site = "leaderboard.operations.second_factor.BoardAdminSite"
