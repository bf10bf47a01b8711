from django.apps import AppConfig


class MeasurementsConfig(AppConfig):
    name = "leaderboard.measurements"
    label = "measurements"
    default_auto_field = "django.db.models.BigAutoField"
