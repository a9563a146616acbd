"""The optional dependencies of the program: the modules that each extra of `pyproject.toml` installs."""

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
    "docs": ("material", "mkdocs"),
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
    "web": ("PIL", "starlette", "uvicorn", "websockets"),
}
"""Modules by the extra that installs them; for a module in two extras, the first one is named."""


def missing(extra: str) -> str:
    """Return which modules of an extra are missing and how to install them, or an empty string."""
    absent = [module for module in EXTRAS[extra] if find_spec(module) is None]
    return _mend(", ".join(absent), extra) if absent else ""


def mend_of(error: ModuleNotFoundError) -> str | None:
    """Return which package is missing and how to install it, or None if the module belongs to no extra."""
    module = (error.name or "").partition(".")[0]
    extra = next((extra for extra, modules in EXTRAS.items() if module in modules), None)
    return None if extra is None else _mend(module, extra)


def _mend(what: str, extra: str) -> str:
    return f"{what} not installed: pip install 'cabinet[{extra}]'"
