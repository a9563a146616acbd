"""The stored settings of a cabinet that do not fit its `cabinet.toml`."""

from collections.abc import Mapping
from pathlib import Path

from controller.configuration.cabinet_toml import Config
from controller.configuration.fields import Problem
from controller.journal.errors import UNREADABLE
from controller.journal.settings import stored_settings
from controller.journal.store import read_only
from controller.journal.transaction import Transaction
from controller.settings.settings import fitted


def unfit_settings(config: Config) -> tuple[Problem, ...]:
    """Return each stored setting that does not fit `config`, read from its journal without changing it.

    Empty if there is no journal yet or it cannot be read; the supervisor reports that.
    """
    return unfit_of(config, settings_in(Path(config.cabinet.journal)) or {})


def unfit_of(config: Config, stored: Mapping[str, str]) -> tuple[Problem, ...]:
    """Return each of the settings `stored` in the journal of `config` that does not fit it."""
    kept = f"(kept in {config.cabinet.journal}; the cabinet starts with a fault until it is mended)"
    return tuple(Problem(problem.key, f"{problem.text} {kept}") for problem in fitted(config, stored).unfit)


def settings_in(journal: Path) -> dict[str, str] | None:
    """Return the settings in a journal, read without changing it; None if there is none yet or it cannot be read."""
    try:
        if not journal.is_file():
            return None
        with read_only(journal) as connection:
            return stored_settings(Transaction(connection, 0))
    except (OSError, *UNREADABLE):
        return None
