from django.apps import AppConfig


class ChartsConfig(AppConfig):
    name = "leaderboard.charts"
    label = "charts"
    default_auto_field = "django.db.models.BigAutoField"
