"""The stored settings of a cabinet that do not fit its `cabinet.toml`."""

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
    path = Path(config.cabinet.journal)
    if not path.is_file():
        return ()
    try:
        with read_only(path) as connection:
            stored = stored_settings(Transaction(connection, 0))
    except UNREADABLE:
        return ()
    return tuple(
        Problem(problem.key, f"{problem.text} (kept in {path}; the cabinet starts with a fault until it is mended)")
        for problem in fitted(config, stored).unfit
    )
