"""The reader of staff cards in the doctor's report: found, missing, or a keyboard that could be one."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.features.cards.configuration import Cards
from controller.features.cards.reader_finding import card_reader
from controller.system.findings import State
from tests.rigs.doctored import Computer
from tests.rigs.virtual_cabinet import configuration

KEYBOARD = "/dev/input/by-id/usb-Reader-event-kbd"


@pytest.mark.parametrize(
    ("cards", "files", "state", "said"),
    [
        (Cards(), (KEYBOARD,), State.NOTE, KEYBOARD),
        (Cards(reader="wedge", device=KEYBOARD), (KEYBOARD,), State.OK, "a wedge"),
        (Cards(reader="wedge", device="/dev/input/by-id/other"), (KEYBOARD,), State.MEND, f"write one of: {KEYBOARD}"),
        (Cards(reader="wedge", device=KEYBOARD), (), State.MEND, "plug the reader in"),
        (Cards(reader="pcsc"), (), State.MEND, "apt install pcscd"),
        (Cards(reader="pcsc"), ("/run/pcscd/pcscd.comm",), State.OK, "pcscd listens"),
    ],
)
def test_a_reader_is_found_or_its_mend_named(
    tmp_path: Path, cards: Cards, files: tuple[str, ...], state: State, said: str
) -> None:
    """Held against `[cards]`."""
    computer = Computer(tmp_path)
    for name in files:
        path = computer.world.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (finding,) = card_reader(computer.world, replace(configuration(tmp_path), cards=cards))
    assert finding.state is state
    assert said in f"{finding.found} {finding.mend}"
