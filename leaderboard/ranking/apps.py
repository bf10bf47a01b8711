from django.apps import AppConfig


class RankingConfig(AppConfig):
    name = "leaderboard.ranking"
    label = "ranking"
    default_auto_field = "django.db.models.BigAutoField"
