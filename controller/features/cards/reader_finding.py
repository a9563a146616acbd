"""The doctor's finding about the reader of staff cards, compared with `[cards]`."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.configuration.cabinet_toml import Config
from controller.features.cards.configuration import card_settings
from controller.system.findings import Computer, Finding, fine, note, wrong

SUBJECT: Final = "card reader"
BY_ID: Final = "/dev/input/by-id"
PCSCD: Final = "/run/pcscd/pcscd.comm"


def card_reader(computer: Computer, config: Config | None) -> Iterator[Finding]:
    """Report the reader that cabinet.toml names, and keyboards that could be one."""
    cards = None if config is None else card_settings(config)
    keyboards = [str(path) for path in computer.listed(BY_ID, "*-event-kbd")]
    if cards is None or not cards.fitted:
        named = ", ".join(keyboards)
        mend = 'a wedge is used with [cards] reader = "wedge"; device = its path' if named else ""
        yield note(SUBJECT, f"none is configured; keyboards: {named or 'none'}", mend)
    elif cards.reader == "wedge":
        yield _wedge(computer, cards.device, keyboards)
    else:
        yield _service(computer)


def _wedge(computer: Computer, device: str, keyboards: list[str]) -> Finding:
    key = "cards.device"
    path = computer.path(device)
    if not computer.may_exist(device):
        there = f"write one of: {', '.join(keyboards)}" if keyboards else "plug the reader in"
        return wrong(SUBJECT, f"there is no {device}", there, key=key)
    if not os.access(path, os.R_OK):
        return wrong(SUBJECT, f"{device} may not be read by {computer.user}", "run `sudo cabinet doctor`", key=key)
    if Path(device).parent != Path(BY_ID):
        return note(SUBJECT, f"{device}: present", f"a path below {BY_ID} keeps its name", key=key)
    return fine(SUBJECT, f"{device}: a wedge", key=key)


def _service(computer: Computer) -> Finding:
    key = "cards.reader"
    if not computer.may_exist(PCSCD):
        mend = "`sudo apt install pcscd`, then `sudo systemctl enable --now pcscd.socket`"
        return wrong(SUBJECT, f"there is no {PCSCD}: pcscd is not there", mend, key=key)
    return fine(SUBJECT, "pcscd listens; a fault of the cabinet says where it has no reader", key=key)
