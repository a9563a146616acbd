"""What a page of the service menu tells of an act that is asked about, and what a press means on it."""

from collections.abc import Mapping
from typing import NamedTuple

from controller.service.page import Act, Drive, Work
from ui.messages import ServicePage


class Asked(NamedTuple):
    """What was typed for an act that is asked about, as its entry says how it is shown."""

    kind: str = ""
    unit: str = ""
    typed: str = ""


def asked_of(act: Act | Work | Drive | None, typed: Mapping[str, str]) -> Asked:
    """Return what was typed for the act that is asked about, a PIN never; several things in one line."""
    if act is None:
        return Asked()
    told = [entry for entry in act.entries if entry.kind != "digits" and entry.name in typed]
    if len(told) == 1:
        return Asked(told[0].kind, told[0].unit, typed[told[0].name])
    return Asked("text", "", "   ".join(typed[entry.name] for entry in told))


def ways(page: ServicePage) -> tuple[object, ...]:
    """Return what a press means on a page: where it stands, and what each row leads to."""
    rows = [(number, row.label, row.place, row.code) for number, row in enumerate(page.rows) if row.leads]
    return (page.code, page.entry, page.question, page.picture, rows)
