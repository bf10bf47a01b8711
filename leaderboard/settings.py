"""Settings: composition only. Every variable is read and checked in operations.environment."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from csp.constants import NONE, SELF

from leaderboard.operations import logs, mail
from leaderboard.operations.embedded import paths
from leaderboard.operations.environment import ROOT, EnvironmentProblem, read_environment
from leaderboard.operations.secret_key import kept_secret_key

try:
    ENVIRONMENT = read_environment()
except EnvironmentProblem as problem:
    sys.exit(f"Cannot start: {problem}")

logs.configure_structlog()
LOGGING = logs.LOGGING

DATA_DIR = ENVIRONMENT.data_dir
DATABASE_IS_EMBEDDED = ENVIRONMENT.database_url is None
BROKER_IS_EMBEDDED = ENVIRONMENT.broker_url is None
PROBE_LOCATION = ENVIRONMENT.probe_location
BASE_URL = ENVIRONMENT.base_url
WEB_PROCESSES = ENVIRONMENT.web_processes
CREDENTIALS_KEY = ENVIRONMENT.credentials_key

SECRET_KEY = ENVIRONMENT.secret_key or kept_secret_key(DATA_DIR)
DEBUG = False
# Loopback always: health checks come from there, and nobody else can.
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *ENVIRONMENT.allowed_hosts]
HAS_TLS = BASE_URL is not None and BASE_URL.startswith("https://")
if BASE_URL:
    CSRF_TRUSTED_ORIGINS = [BASE_URL]
    ALLOWED_HOSTS.append(urlsplit(BASE_URL).hostname or "")

# A worker serves no pages; without the API's framework it takes 13 MB less.
IS_CELERY = "celery" in Path(sys.argv[0]).parts[-2:]
INSTALLED_APPS = [
    "leaderboard.operations.admin_config.BoardAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "axes",
    "csp",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    *([] if IS_CELERY else ["ninja"]),
    "leaderboard.catalogue",
    "leaderboard.measurements",
    "leaderboard.ranking",
    "leaderboard.charts",
    "leaderboard.exports",
    "leaderboard.pages",
    "leaderboard.operations",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "leaderboard.operations.headers.strict_headers",
    "leaderboard.operations.zero_bytes.refuse_zero_bytes",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "leaderboard.operations.read_only.RefuseWriting",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.pages.context.site",
            ],
        },
    },
]


def database_settings(url: str) -> dict[str, object]:
    """Django's form of a postgresql:// URL; query parameters become libpq options, so `?host=` takes a socket."""
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", None) or parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }


DATABASES = {"default": database_settings(ENVIRONMENT.database_url or paths.database_url(DATA_DIR))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CELERY_BROKER_URL = ENVIRONMENT.broker_url or paths.broker_url(DATA_DIR)

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# The first refuses whoever failed too often, the second knows the accounts.
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# By address alone: a stranger must not be able to lock a named administrator out.
AXES_LOCKOUT_PARAMETERS = ["ip_address"]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = dt.timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_CLIENT_IP_CALLABLE = "leaderboard.exports.api.visitors.client_address"
AXES_LOCKOUT_CALLABLE = "leaderboard.operations.sign_in.paused"
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "code", "csrfmiddlewaretoken"]

OTP_TOTP_ISSUER = "Leaderboard"

MAIL_IS_SET = ENVIRONMENT.smtp_url is not None
if ENVIRONMENT.smtp_url:
    EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_TLS, EMAIL_USE_SSL = mail.server(
        ENVIRONMENT.smtp_url
    )
else:
    EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = ENVIRONMENT.mail_from or "leaderboard@localhost"
EMAIL_SUBJECT_PREFIX = "[leaderboard] "
ALERT_MAIL = ENVIRONMENT.alert_mail
ALERT_WEBHOOK = ENVIRONMENT.alert_webhook
ALERT_SECRET = ENVIRONMENT.alert_secret
DEADMAN_URL = ENVIRONMENT.deadman_url
PASSWORD_RESET_TIMEOUT = 3600

LOGIN_REDIRECT_URL = "/admin/"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [ROOT / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "leaderboard.charts.bundle.BundleFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HAS_TLS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 12 * 3600
SECURE_HSTS_SECONDS = 31_536_000 if HAS_TLS else 0
if HAS_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for sub-domains: they are not ours to bind
    "security.W008",  # the proxy that ends TLS redirects; doing it here too would loop where it sends no header
    "security.W021",  # preloading is the domain owner's step
]

if ENVIRONMENT.sentry_dsn:
    from leaderboard.operations.crash_reports import start_crash_reports

    start_crash_reports(ENVIRONMENT.sentry_dsn)
