"""C.8: settings that do not fit `cabinet.toml`, the presets and proposals of features, and factory defaults."""

from collections.abc import Sequence

from controller import feature
from controller.configuration.cabinet_toml import Config
from controller.journal.settings import stored_settings
from controller.journal.transaction import Transaction
from controller.service.page import Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.service.setting_lines import SAME
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import fitted, forget, locked_by

FORGOTTEN = "It is forgotten"
FORGET_ONE, FORGET_ALL = "Forget this setting?", "Forget all that was set in this menu?"


def read(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the page's lines; settings that do not fit come first, since they stop play."""
    stored, file_config = stored_settings(tx), machine.settings.file_config
    lines: list[Line] = []
    for problem in fitted(file_config, stored).unfit:
        lines.append(Line("A setting does not fit the configuration: {place}", place=problem.key, tone="bad"))
        lines.append(Line("Forget it", leads=_forgets(problem.key, file_config, FORGET_ONE, confirmations=1)))
    if reason := locked_by(tx):
        lines.append(Line(reason, tone="bad"))
    lines.extend(sorted(_added(tx, machine), key=lambda line: line.tone != "bad"))  # what waits for an answer is first
    lines.append(Line("Settings that differ from the configuration", count=len(stored)))
    lines.append(Line("Factory defaults", tone="bad", leads=_forgets("", file_config, FORGET_ALL, confirmations=2)))
    return lines


def _added(tx: Transaction, machine: ServicedMachine) -> list[Line]:
    """Return the features' lines, each of which leads to a page of settings."""
    lines: list[Line] = []
    for more in feature.imported(lambda one: one.lines.get("C.8", "")):
        lines.extend(more(tx, machine, len(lines) + 1))
    return lines


def _forgets(key: str, file_config: Config, question: str, *, confirmations: int) -> MenuTransaction:
    """Return the action that forgets one setting, or all if `key` is empty."""

    def do(tx: Transaction, submission: Submission) -> str:
        forgotten = forget(tx, file_config, (key,) if key else tuple(stored_settings(tx)), submission.who)
        look_at_set_up(tx, file_config)
        return FORGOTTEN if forgotten else SAME

    return MenuTransaction(do, question=question, confirmations=confirmations)


PAGES = (Page("C.8", "Presets and factory defaults", read, technician=True, door=True),)
