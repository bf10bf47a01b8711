"""The table of outcomes: which detail each has, whose fault it is, and how statuses and error objects map onto it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from probes.events import StreamError
from probes.exchange import Ending
from probes.json_access import count_of

FAULTS = {
    "rate_limited": "provider",
    "auth": "ours",
    "billing": "ours",
    "not_found": "ours",
    "capability": "ours",
    "bad_request": "ours",
    "blocked": "provider",
    "server_error": "provider",
    "timeout": "provider",
    "network": "network",
    "stream_broken": "provider",
    "empty": "provider",
    "too_large": "provider",
    "ours": "ours",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome with its finer class; flags name the option that was refused."""

    outcome: str
    detail: str | None = None
    message: str | None = None
    flags: tuple[str, ...] = ()

    @property
    def fault(self) -> str | None:
        return FAULTS.get(self.outcome)


OK = Verdict("ok")

ENDINGS = {
    Ending.RESET: ("stream_broken", "reset"),
    Ending.TIMEOUT_FIRST_TOKEN: ("timeout", "timeout_first_token"),
    Ending.STALLED: ("timeout", "stalled"),
    Ending.TIMEOUT_TOTAL: ("timeout", "timeout_total"),
    Ending.TOO_LARGE: ("too_large", "too_large"),
    Ending.BAD_BODY: ("stream_broken", "bad_body"),
    Ending.DNS: ("network", "dns"),
    Ending.CONNECT: ("network", "connect"),
    Ending.TLS: ("network", "tls"),
    Ending.NOT_STREAMED: ("capability", "not_streamed"),
    Ending.OURS: ("ours", "ours"),
}

STATUSES = {
    401: ("auth", "auth"),
    402: ("billing", "quota"),
    403: ("auth", "auth"),
    404: ("not_found", "not_found"),
    408: ("server_error", "server"),
    429: ("rate_limited", "rate_limit"),
    503: ("server_error", "overloaded"),
    529: ("server_error", "overloaded"),
}

QUOTA_KINDS = ("insufficient_quota", "billing", "credit", "insufficient_balance")
"""Codes, not words: a plain rate limit's sentence may well mention the plan and its billing."""
CREDIT_WORDS = (
    "insufficient_quota", "insufficient_balance", "insufficient balance", "insufficient credit", "insufficient funds",
    "credit balance", "out of credit", "payment required", "billing_hard_limit", "billing_not_active",
)  # fmt: skip
FILTER_WORDS = (
    "content_filter",
    "content filter",
    "content_policy",
    "responsibleaipolicyviolation",
    "moderation",
)
MODEL_WORDS = ("model_not_found", "model not found", "unknown_model", "model_not_available")
KIND_WORDS = (
    (
        (
            "rate_limit",
            "ratelimit",
            "throttl",
            "too_many_requests",
            "toomanyrequests",
            "resource_exhausted",
            "limitexceeded",
            "limit_exceeded",
        ),
        429,
    ),
    (("overloaded", "unavailable", "capacity", "modelnotready"), 503),
    (
        (
            "authentication",
            "unauthenticated",
            "invalid_api_key",
            "permission",
            "access_denied",
            "accessdenied",
            "authfailure",
        ),
        401,
    ),
    (("not_found", "notfound"), 404),
    (
        (
            "invalid_request",
            "invalid_argument",
            "bad_request",
            "validation",
            "exceed_context",
            "context_length",
        ),
        400,
    ),
)
REFUSABLE_OPTIONS = (
    "reasoning_effort",
    "reasoning.effort",
    "output_config",
    "thinking",
    "stream_options",
    "continuous_usage_stats",
    "temperature",
    "max_completion_tokens",
    "max_tokens",
)
REFUSAL_WORDS = (
    "unsupported",
    "not support",
    "unknown",
    "unrecognized",
    "not allowed",
    "not permitted",
    "extra",
)


def judge_redirect(status: int, location: str | None) -> Verdict:
    """Redirects are never followed: the key would travel along. The target is named without its query."""
    target = (location or "nowhere").partition("?")[0]
    return Verdict("bad_request", "redirect", f"status {status} redirects to {target}")


def judge_status(status: int, error: StreamError | None) -> Verdict:
    """The verdict of an answer whose status is not 2xx; `error` is what its body said."""
    words = _words(error)
    fallback = ("bad_request", "bad_request") if status < 500 else ("server_error", "server")
    outcome, detail = STATUSES.get(status, fallback)
    flags: tuple[str, ...] = ()
    if status == 429 and _has(_kinds(error), QUOTA_KINDS):
        detail = "quota"
    elif status in (400, 403, 404, 422):
        outcome, detail, flags = _refine(outcome, detail, words)
    return Verdict(outcome, detail, _say(error) or f"status {status}", flags)


def _refine(outcome: str, detail: str, words: str) -> tuple[str, str, tuple[str, ...]]:
    """Providers hide better reasons behind 400, 403 and 404."""
    if _has(words, CREDIT_WORDS):
        return "billing", "quota", ()
    if _has(words, FILTER_WORDS):
        return "blocked", "blocked", ()
    if outcome == "bad_request" and _has(words, MODEL_WORDS):
        return "not_found", "not_found", ()
    refused = find_refused_option(words)
    if outcome == "bad_request" and refused:
        flags = (f"refuses_{refused}",)
        # The limit's other spelling is ours to get right; the rest this offering cannot do.
        if refused.startswith("max_"):
            return outcome, detail, flags
        return "capability", "option_refused", flags
    return outcome, detail, ()


def find_refused_option(words: str) -> str | None:
    """The request option that an error's words refuse: the first one they mention."""
    if not _has(words, REFUSAL_WORDS):
        return None
    if "stream" in words and "stream_options" not in words and "streaming" in words:
        return "stream"
    mentioned = [(words.find(option), option) for option in REFUSABLE_OPTIONS if option in words]
    return min(mentioned)[1] if mentioned else None


def judge_error(error: StreamError, *, after_content: bool) -> Verdict:
    """An error object inside a 2xx body: its own class before any content, a broken stream after."""
    status = _status_of(error)
    verdict = judge_status(status, error)
    if _has(_words(error), CREDIT_WORDS) and verdict.outcome != "rate_limited":
        verdict = Verdict("billing", "quota", verdict.message)
    elif _has(_words(error), FILTER_WORDS):
        verdict = Verdict("blocked", "blocked", verdict.message)
    message = _say(error) or "an error without words"
    if after_content:
        return Verdict("stream_broken", verdict.detail, message, verdict.flags)
    return Verdict(verdict.outcome, verdict.detail, message, verdict.flags)


def _status_of(error: StreamError) -> int:
    """The HTTP status this error would have had; 500 where its words name no class."""
    code = count_of(error.code)
    if code is not None and 400 <= code < 600:
        return code
    for words, status in KIND_WORDS:
        if _has(_kinds(error), words):
            return status
    return 500


def _kinds(error: StreamError | None) -> str:
    return "" if error is None else f"{error.kind or ''} {error.code or ''}".lower()


def _words(error: StreamError | None) -> str:
    if error is None:
        return ""
    return f"{_kinds(error)} {error.message.lower()}"


def _say(error: StreamError | None) -> str | None:
    if error is None:
        return None
    return error.message or error.kind or error.code


def _has(text: str, words: Iterable[str]) -> bool:
    return any(word in text for word in words)
