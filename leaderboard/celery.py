"""The Celery application: queues, limits, and the beat schedule as one table."""

from __future__ import annotations

import os

from celery import Celery
from kombu import Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

from django.conf import settings

app = Celery("leaderboard")

PROBES_QUEUE = f"probes.{settings.PROBE_LOCATION}"

app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    # A killed worker's message comes back within seconds instead of after the hour of the default.
    broker_transport_options={
        "visibility_timeout": 900,
        "unacked_restore_interval": 5,
        "socket_keepalive": True,
    },
    broker_connection_retry_on_startup=True,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_create_missing_queues=False,
    task_default_queue="board",
    task_queues=[Queue("board"), Queue(PROBES_QUEUE)],
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    timezone="UTC",
    enable_utc=True,
    beat_schedule={
        # name: what it does, and how often in seconds
        "plan-probes": {"task": "measurements.plan_probes", "schedule": 5.0, "options": {"expires": 5}},
        "publish-snapshot": {"task": "charts.publish_snapshot", "schedule": 30.0, "options": {"expires": 30}},
        "make-partitions": {
            "task": "measurements.make_partitions",
            "schedule": 3600.0,
            "options": {"expires": 3600},
        },
    },
)
app.autodiscover_tasks(
    ["leaderboard.measurements", "leaderboard.charts", "leaderboard.exports", "leaderboard.operations"]
)
