"""C.8: presets, what the venue proposes, factory defaults, and settings that do not fit `cabinet.toml`."""

from collections.abc import Callable, Sequence

from controller.configuration.cabinet_toml import Config
from controller.features.care.presets import PRESETS, Preset, in_force
from controller.features.venue.proposals import proposal_lines
from controller.journal.settings import stored_settings
from controller.journal.transaction import Transaction
from controller.service.page import Line, MenuTransaction, Page, Submission, Tone
from controller.service.serviced_machine import ServicedMachine
from controller.service.setting_lines import SAME, SAVED
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import Value, change, fitted, forget, locked_by, value_at
from controller.settings.settings_table import Setting, all_settings

IN_FORCE, FORGOTTEN = "in force", "It is forgotten"
FORGET_ONE, FORGET_ALL = "Forget this setting?", "Forget all that was set in this menu?"
SET_ALL = "Set all of this?"


def read(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the page's lines; settings that do not fit come first, since they stop play."""
    stored, file_config = stored_settings(tx), machine.settings.file_config
    lines: list[Line] = []
    for problem in fitted(file_config, stored).unfit:
        lines.append(Line("A setting does not fit the configuration: {place}", place=problem.key, tone="bad"))
        lines.append(Line("Forget it", leads=_forgets(problem.key, file_config, FORGET_ONE, confirmations=1)))
    if reason := locked_by(tx):
        lines.append(Line(reason, tone="bad"))
    lines.extend(proposal_lines(tx, len(PRESETS) + 1))
    for number, preset in enumerate(PRESETS, start=1):
        words = IN_FORCE if in_force(preset, machine.settings.config) else ""
        lines.append(Line(preset.name, words, leads=_preset_page(f"C.8.{number}", preset)))
    lines.append(Line("Settings that differ from the configuration", count=len(stored)))
    lines.append(Line("Factory defaults", tone="bad", leads=_forgets("", file_config, FORGET_ALL, confirmations=2)))
    return lines


def _preset_page(code: str, preset: Preset) -> Page:
    """Return the page of a preset: all its settings, and a line to apply it."""

    def lines(_tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
        take = Line(
            "Take this preset",
            leads=MenuTransaction(_takes(preset, machine.settings.file_config), question=SET_ALL, confirmations=1),
        )
        by_key = {setting.key: setting for setting in all_settings(machine.settings.config)}
        return [take, *(_line(by_key[key], value, machine) for key, value in preset.values.items())]

    return Page(code, preset.name, lines, technician=True, door=True)


def _line(setting: Setting, value: Value, machine: ServicedMachine) -> Line:
    """Return a setting of a preset, marked if it differs from the current value."""
    cents = value if setting.kind == "cents" and isinstance(value, int) else None
    tone: Tone = "plain" if value == value_at(machine.settings.config, setting.key) else "good"
    return Line(setting.label, setting.words(value), cents=cents, tone=tone)


def _takes(preset: Preset, file_config: Config) -> Callable[[Transaction, Submission], str]:
    def do(tx: Transaction, submission: Submission) -> str:
        changed = change(tx, file_config, preset.values, submission.who)
        look_at_set_up(tx, file_config)
        return SAVED if changed else SAME

    return do


def _forgets(key: str, file_config: Config, question: str, *, confirmations: int) -> MenuTransaction:
    """Return the action that forgets one setting, or all if `key` is empty."""

    def do(tx: Transaction, submission: Submission) -> str:
        forgotten = forget(tx, file_config, (key,) if key else tuple(stored_settings(tx)), submission.who)
        look_at_set_up(tx, file_config)
        return FORGOTTEN if forgotten else SAME

    return MenuTransaction(do, question=question, confirmations=confirmations)
