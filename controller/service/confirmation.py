"""The confirmation of an action on a page of the service menu: what is shown, and which presses are still valid."""

from collections.abc import Mapping
from typing import NamedTuple

from controller.service.page import DeviceAction, Job, MenuTransaction
from ui.protocol.messages import ServicePage


class Confirmation(NamedTuple):
    """The input that a question repeats, with the kind and unit in which it is shown."""

    kind: str = ""
    unit: str = ""
    typed: str = ""


def confirmation_of(action: MenuTransaction | Job | DeviceAction | None, typed: Mapping[str, str]) -> Confirmation:
    """Return the input to repeat with the question of an action, without PINs; several entries in one line."""
    if action is None:
        return Confirmation()
    shown = [entry for entry in action.entries if entry.kind not in ("digits", "card") and entry.name in typed]
    if len(shown) == 1:
        return Confirmation(shown[0].kind, shown[0].unit, typed[shown[0].name])
    return Confirmation("text", "", "   ".join(typed[entry.name] for entry in shown))


def press_targets(page: ServicePage) -> tuple[object, ...]:
    """Return what presses on a page act on: a press stays valid on a newer page with equal targets."""
    rows = [(number, row.label, row.place, row.code) for number, row in enumerate(page.rows) if row.leads]
    return (page.code, page.entry, page.question, page.picture, rows)
