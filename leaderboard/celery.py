"""The Celery application: queues, limits, and the beat schedule as one table."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_before_create_process, worker_init
from kombu import Exchange, Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
# Django's checks would import every page into every worker; `manage.py check` and the tests run them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

from django.conf import settings

from leaderboard.measurements.locations import probes_queue
from leaderboard.operations.logs import start_logging
from leaderboard.operations.programs import NO_PROBES

# Beat only sends names: without the models and their tasks it takes half the memory.
IS_BEAT = "beat" in sys.argv[1:] and "worker" not in sys.argv[1:]

app = Celery("leaderboard", fixups=[] if IS_BEAT else None)

PROBES_QUEUE = probes_queue(settings.PROBE_LOCATION).name

BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    # name: what it does, and how often in seconds
    "plan-probes": {"task": "measurements.plan_probes", "schedule": 5.0, "options": {"expires": 5}},
    "publish-snapshot": {"task": "charts.publish_snapshot", "schedule": 10.0, "options": {"expires": 10}},
    "draw-ahead": {"task": "pages.draw_ahead", "schedule": 5.0, "options": {"expires": 5}},
    "make-partitions": {
        "task": "measurements.make_partitions",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
    "refresh-history": {"task": "ranking.refresh_history", "schedule": 300.0, "options": {"expires": 300}},
    "plan-sweeps": {"task": "measurements.plan_sweeps", "schedule": 120.0, "options": {"expires": 120}},
    "read-engines": {"task": "measurements.read_engines", "schedule": 900.0, "options": {"expires": 900}},
    "watch": {"task": "operations.watch", "schedule": 60.0, "options": {"expires": 60}},
    "close-files": {"task": "exports.close_files", "schedule": 900.0, "options": {"expires": 900}},
    "tell-webhooks": {"task": "operations.tell_webhooks", "schedule": 60.0, "options": {"expires": 60}},
    "write-today": {"task": "exports.write_today", "schedule": 300.0, "options": {"expires": 300}},
}
if NO_PROBES in os.environ:
    del BEAT_SCHEDULE["plan-probes"], BEAT_SCHEDULE["plan-sweeps"]

app.conf.update(
    broker_url=settings.CELERY_BROKER_URL,
    broker_transport_options={
        # Longer than any task; a killed worker's messages come back sooner, see `unfinished`.
        "visibility_timeout": 360,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_keepalive": True,
    },
    broker_connection_retry_on_startup=True,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_create_missing_queues=False,
    task_default_queue="board",
    # An exchange and a key of its own for each: left out, both queues would be bound to the default key and every
    # message would go to both.
    task_queues=[
        Queue("board", Exchange("board"), routing_key="board"),
        probes_queue(settings.PROBE_LOCATION),
    ],
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    # Nobody asks the workers anything, and RabbitMQ refuses a second worker whose name is taken.
    worker_enable_remote_control=False,
    timezone="UTC",
    enable_utc=True,
    beat_schedule=BEAT_SCHEDULE,
)
if not IS_BEAT:
    app.autodiscover_tasks(
        [
            "leaderboard.measurements",
            "leaderboard.ranking",
            "leaderboard.charts",
            "leaderboard.exports",
            "leaderboard.pages",
            "leaderboard.operations",
        ]
    )


@setup_logging.connect
def log_as_everything_else(**_: object) -> None:
    """Connecting is what keeps Celery from setting up handlers of its own."""
    start_logging()


@worker_init.connect
def take_up_unfinished_work(sender: Any = None, **_: object) -> None:
    """Only where the broker is ours alone: there, a starting worker is the only one of its queues."""
    if settings.BROKER_IS_EMBEDDED and sender is not None:
        from leaderboard.operations.unfinished import return_unfinished

        return_unfinished(app, {queue.routing_key for queue in app.amqp.queues.consume_from.values()})


@worker_init.connect
def end_with_the_broker(**_: object) -> None:
    from leaderboard.operations.lost_broker import end_on_lost_broker

    end_on_lost_broker()


@worker_init.connect
def announce_location(**_: object) -> None:
    """From now on probes are planned for this location too."""
    if PROBES_QUEUE in app.amqp.queues.consume_from:
        from django.db import connection

        from leaderboard.measurements.locations import announce

        announce(settings.PROBE_LOCATION, is_the_only_one=settings.BROKER_IS_EMBEDDED)
        connection.close()  # the children must not inherit it


@worker_before_create_process.connect
def share_memory_with_children(**_: object) -> None:
    """What is loaded now stays in pages shared with the children: their collector must not touch it."""
    if PROBES_QUEUE in app.amqp.queues.consume_from:
        from probes.reference_tokenizer import warm_up

        warm_up()  # 64 MB of vocabulary, once instead of in each child
    gc.collect()
    gc.freeze()
