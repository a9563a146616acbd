"""A setting as a line of a page: its current value, and the action that changes it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from common.error_words import error_words
from controller.configuration.cabinet_toml import Config
from controller.journal.errors import RefusedError
from controller.journal.settings import stored_settings
from controller.journal.transaction import Transaction
from controller.play.worlds import can_be_shown
from controller.service.page import Entry, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import Value, change, fitted
from controller.settings.settings_table import OFF, ON, Setting, longest

SAVED, LATER, SAME = "It is saved", "It is saved, and holds from the next start", "Nothing was changed"
EMPTY = "none"


def lines_of(settings: Iterable[Setting], machine: ServicedMachine) -> list[Line]:
    """Return a line for each setting, with a link to its change."""
    return [line_of(setting, machine) for setting in settings]


def line_of(setting: Setting, machine: ServicedMachine) -> Line:
    """Return the line of a setting."""
    value = setting.value(machine.settings.config)
    label, cents = setting.label, setting.cents
    if setting.kind == "cents":
        cents = value if isinstance(value, int) else 0
    words = setting.words(value) or (EMPTY if setting.kind == "text" else "")
    if setting.kind == "choice" and setting.key.endswith("_cents") and isinstance(value, int):
        words, cents = "", value
    return Line(
        label,
        words,
        cents=cents,
        leads=MenuTransaction(_sets(setting, machine.settings.file_config), (_entry(setting, value),)),
    )


def settings_page(code: str, title: str, settings: Iterable[Setting], head: Sequence[Line] = ()) -> Page:
    """Return a page of settings that a line can lead to; `head` are its first lines."""
    listed: Sequence[Setting] = tuple(settings)
    return Page(code, title, lambda _tx, machine: [*head, *lines_of(listed, machine)], technician=True, door=True)


def _entry(setting: Setting, value: Value) -> Entry:
    """Return the entry of a setting; the cursor of a choice starts at the current value."""
    name, label = "value", setting.label
    match setting.kind:
        case "switch":
            return Entry(name, label, "choice", (ON, OFF), now=setting.words(value))
        case "choice":
            words = tuple(words for _, words in setting.choices)
            return Entry(name, label, "choice", words, now=setting.words(value))
        case "text":
            return Entry(name, label, "text", longest=longest(setting), may_be_empty=setting.may_be_empty)
    return Entry(name, label, setting.kind, limits=setting.limits, longest=longest(setting), unit=setting.unit)


def switches_network(setting: Setting, machine: ServicedMachine) -> Line:
    """Return the line of the network switch: the system applies it before the setting is stored."""
    line, interface = line_of(setting, machine), machine.settings.config.network.interface

    def do(tx: Transaction, submission: Submission) -> str:
        message = _sets(setting, machine.settings.file_config)(tx, submission)
        try:
            machine.settings.interfaces.switch(interface, up=submission.typed["value"] == ON)
        except OSError as error:
            raise RefusedError(
                "The system does not let the network be switched: {reason}", reason=error_words(error)
            ) from error
        return message

    return replace(line, leads=MenuTransaction(do, (_entry(setting, setting.value(machine.settings.config)),)))


def _sets(setting: Setting, file_config: Config) -> Callable[[Transaction, Submission], str]:
    def do(tx: Transaction, submission: Submission) -> str:
        now = fitted(file_config, stored_settings(tx)).config
        try:
            value = setting.taken(submission.typed["value"], now)
        except ValueError as error:
            raise RefusedError(str(error)) from error
        switched_on = setting.member if submission.typed["value"] == ON else None
        game = switched_on if setting.key == "games.enabled" else None
        if isinstance(game, str) and not can_be_shown(file_config, game):
            raise RefusedError("The pictures of this game are not on this machine")
        if not change(tx, file_config, {setting.key: value}, submission.who):
            return SAME
        look_at_set_up(tx, file_config)
        return SAVED if setting.at_once else LATER

    return do
