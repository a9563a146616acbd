"""The whole menu: its sections by letter, and every page by its code."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

from controller import feature
from controller.configuration.cabinet_toml import Service
from controller.journal.actor import Role
from controller.service.page import Line, Page, TypeCode

SECTIONS = {
    "A": "Attendant",
    "M": "Meters",
    "H": "History",
    "T": "Tests",
    "C": "Configuration",
    "U": "Utilities",
}

CORE = (
    "access",
    "attendant",
    "backups",
    "by_game",
    "charts",
    "clock",
    "configuration",
    "credit",
    "events",
    "jackpots",
    "licences",
    "meters",
    "past_rounds",
    "presets",
    "records",
    "refill",
    "settings_log",
    "shutdown",
    "stored",
    "utilities",
    "volume",
)
"""The modules of `controller.service` that define pages; the others come with their features."""

BY_CODE = "Go to a code"
GO_TO = TypeCode()


@cache
def modules() -> tuple[ModuleType, ...]:
    """Return the modules that define pages, one per subject.

    They are loaded once the cabinet is up, or earlier by the first turn of a key, so that they do not delay the start.
    """
    own = [f"controller.service.{name}" for name in CORE]
    return (*map(import_module, own), *feature.pages())


@cache
def pages() -> dict[str, Page]:
    """Return every page by its code."""
    return {page.code: page for module in modules() for page in module.PAGES}


def may_open(page: Page, who: Role, service: Service) -> bool:
    """Whether a key may open this page in this configuration."""
    if who is Role.TECHNICIAN or not page.technician:
        return True
    return bool(page.shared) and bool(getattr(service, page.shared))


def codes(who: Role, service: Service) -> tuple[str, ...]:
    """Return the codes of all sections and pages that a key may open, in the order of the menu."""
    open_to = sorted((page for page in pages().values() if may_open(page, who, service)), key=_number)
    return tuple(
        code
        for letter in SECTIONS
        if (own := [page.code for page in open_to if page.section == letter])
        for code in (letter, *own)
    )


def title(code: str) -> str:
    """Return the title of a section, or of the menu if `code` is empty."""
    return SECTIONS.get(code, "Service menu")


def _number(page: Page) -> int:
    return int(page.code.partition(".")[2])


def lines_to(code: str, who: Role, service: Service) -> Sequence[Line]:
    """Return the lines of a section, or of the menu if `code` is empty."""
    open_to = codes(who, service)
    if code:
        return [Line(pages()[own].title, leads=own) for own in open_to if own in pages() and own[0] == code]
    sections = [Line(SECTIONS[letter], leads=letter) for letter in open_to if letter in SECTIONS]
    return [*sections, Line(BY_CODE, leads=GO_TO)]
