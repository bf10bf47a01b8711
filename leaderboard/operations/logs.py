"""Logs: one JSON object a line, on standard error. No Django here: the settings are made from it.

Whatever is logged, by us or by a library, passes `without_secrets`; line breaks inside a text are escaped by JSON, so
nobody's words can look like a line of ours.
"""

from __future__ import annotations

import logging
import logging.config
import re
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from probes.redaction import hide_keys

PASSWORD_IN_URL = re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)")
SECRET_NAME = re.compile(r"(?i)authorization|api_?key|password|secret|token$|cookie|dsn")
LONGEST_TEXT = 4000
MARK = "[removed]"


def without_secrets(logger: WrappedLogger | None, method: str, event: EventDict) -> EventDict:
    return {name: MARK if SECRET_NAME.search(name) else cleaned(value) for name, value in event.items()}


def cleaned(value: Any) -> Any:
    """The same value with keys and passwords taken out of its texts; what is not a number or list becomes text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return without_secrets(None, "", value)
    if isinstance(value, list | tuple | set | frozenset):
        return [cleaned(part) for part in value]
    return PASSWORD_IN_URL.sub(MARK, hide_keys(str(value)))[:LONGEST_TEXT]


def without_request(logger: WrappedLogger | None, method: str, event: EventDict) -> EventDict:
    """Django hands whole requests to its log; their headers and bodies are nobody's business."""
    for name in ("request", "response"):
        event.pop(name, None)
    return event


COMMON: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    structlog.processors.format_exc_info,
)
RENDERING: tuple[Processor, ...] = (
    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
    without_request,
    without_secrets,
    structlog.processors.JSONRenderer(ensure_ascii=True, sort_keys=True),
)
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": [*COMMON, structlog.stdlib.ExtraAdder()],
            "processors": list(RENDERING),
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "leaderboard": {"level": "INFO"},
        # Their own handlers print tracebacks and query strings as they are.
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
        # A wrong address is no fault of ours: visitors' 404s would be most of the log.
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},
    },
}


def configure_structlog() -> None:
    """Our own loggers: the same line as every other, with what was bound to the work at hand."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *COMMON,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def start_logging() -> None:
    logging.config.dictConfig(LOGGING)
    configure_structlog()
