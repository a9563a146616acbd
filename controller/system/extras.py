"""The optional dependencies of the program: which modules an extra of `pyproject.toml` brings, and what is missing."""

from importlib.util import find_spec

EXTRAS: dict[str, tuple[str, ...]] = {
    "venue": (
        "apprise",
        "axes",
        "django",
        "django_otp",
        "gunicorn",
        "openpyxl",
        "prometheus_client",
        "psycopg",
        "whitenoise",
    ),
    "bake": (
        "babel",
        "font_fredoka_one",
        "font_manrope",
        "font_roboto",
        "font_source_serif_pro",
        "numpy",
        "PIL",
        "resvg_py",
        "soundfile",
    ),
    "cards": ("smartcard",),
    "fleet": ("psycopg",),
    "kernels": ("numba",),
    "pi": ("lgpio", "smbus2"),
    "printer": ("escpos",),
    "sheets": ("fpdf",),
}
"""Modules by the extra that brings them; the first one is named for a module that two bring."""


def missing(extra: str) -> str:
    """Return which modules of an extra are not installed and how to install them, empty where all are."""
    absent = [module for module in EXTRAS[extra] if find_spec(module) is None]
    return _mend(", ".join(absent), extra) if absent else ""


def mend_of(error: ModuleNotFoundError) -> str | None:
    """Return what is not installed and how to install it, None where the module is of no extra."""
    module = (error.name or "").partition(".")[0]
    extra = next((extra for extra, modules in EXTRAS.items() if module in modules), None)
    return None if extra is None else _mend(module, extra)


def _mend(what: str, extra: str) -> str:
    return f"{what} not installed: pip install 'cabinet[{extra}]'"
