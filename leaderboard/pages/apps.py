from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "leaderboard.pages"
    label = "pages"
    default_auto_field = "django.db.models.BigAutoField"
