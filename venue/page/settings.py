"""Django's settings, made from `venue.page.config`."""

from datetime import timedelta
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from venue.page import config

HERE = Path(__file__).parent
CONFIG = config.from_environment()

SECRET_KEY = config.secret(CONFIG)
DEBUG = False
ALLOWED_HOSTS = list(CONFIG.hosts)
ROOT_URLCONF = "venue.page.urls"
WSGI_APPLICATION = "venue.page.wsgi.application"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "axes",
    "venue.page",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "venue.page.middleware.content_security",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "venue.page.middleware.bounded",
    "venue.page.middleware.own_language",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "venue.page.context.page",
            ],
        },
    },
]


def _database() -> dict[str, object]:
    parts = conninfo_to_dict(CONFIG.database)
    named = {key: parts.pop(key, "") for key in ("dbname", "user", "password", "host", "port")}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": named["dbname"],
        "USER": named["user"],
        "PASSWORD": named["password"],
        "HOST": named["host"],
        "PORT": named["port"],
        # One request is one transaction: a change and its audit row are committed together or not at all.
        "ATOMIC_REQUESTS": True,
        "OPTIONS": {**parts, "options": "-c search_path=page -c statement_timeout=15000", "pool": False},
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "page.Account"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.ScryptPasswordHasher"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "floor"
LOGOUT_REDIRECT_URL = "login"

# After five wrong passwords the user name is locked for all addresses, and the address for all user names.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = ["username", "ip_address"]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "page/locked_out.html"
AXES_SENSITIVE_PARAMETERS: list[str] = []
AXES_VERBOSE = False
AXES_IPWARE_PROXY_COUNT = 1 if CONFIG.proxied else 0
OTP_TOTP_ISSUER = CONFIG.name

SESSION_COOKIE_AGE = 12 * 3600
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = CONFIG.https
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "venue.page.views.errors.csrf"
SECURE_SSL_REDIRECT = False
SECURE_HSTS_SECONDS = 31_536_000 if CONFIG.https else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if CONFIG.proxied else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1 << 20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
DATA_UPLOAD_MAX_NUMBER_FILES = 1
FILE_UPLOAD_HANDLERS = ["venue.page.uploads.BoundedUploadHandler"]

LANGUAGE_CODE = CONFIG.language
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [HERE / "locale"]
FORMAT_MODULE_PATH = ["venue.page.formats"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = CONFIG.timezone

STATIC_URL = "static/"
STATICFILES_DIRS: list[Path] = []
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
WHITENOISE_MAX_AGE = 3600

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
}
