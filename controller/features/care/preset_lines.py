"""The presets on page C.8."""

from collections.abc import Callable, Iterator, Sequence

from controller.configuration.cabinet_toml import Config
from controller.features.care.presets import PRESETS, Preset, in_force
from controller.journal.transaction import Transaction
from controller.service.page import Line, MenuTransaction, Page, Submission, Tone
from controller.service.serviced_machine import ServicedMachine
from controller.service.setting_lines import SAME, SAVED
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import Value, change, value_at
from controller.settings.settings_table import Setting, all_settings

IN_FORCE = "in force"
SET_ALL = "Set all of this?"


def preset_lines(_tx: Transaction, machine: ServicedMachine, first: int) -> Iterator[Line]:
    """Yield a line for each preset; their pages are numbered from `first`."""
    for number, preset in enumerate(PRESETS, start=first):
        words = IN_FORCE if in_force(preset, machine.settings.config) else ""
        yield Line(preset.name, words, leads=_preset_page(f"C.8.{number}", preset))


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
