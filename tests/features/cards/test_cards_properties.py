"""Whatever order of cards, PINs, keys, doors, waits and kills: nobody is let in without what the mode asks for."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.features.cards.journal import block_card
from controller.journal.actor import Role
from tests.rigs.carded import ADAS, BENS, STRANGE, Mode, carded, present, type_pin
from tests.rigs.machine import Rig
from tests.rigs.staffed import ADA, BEN
from tests.rigs.virtual_time import run_virtual

OWNERS = {ADAS: ADA, BENS: BEN}
ACTS = (
    *(("card", number) for number in (ADAS, BENS, STRANGE)),
    *(("pin", name) for name in (ADA, BEN)),
    *((word, key) for word in ("on", "off") for key in ("attendant", "technician")),
    *(("door", position) for position in ("open", "shut")),
    ("press", "service:row:0"),
    ("press", "service:row:0"),
    ("press", "service:row:1"),
    ("press", "service:back"),
    ("half", ""),
    ("wait", ""),
    ("kill", ""),
    ("block", ""),
)


SEQUENCES = st.lists(
    st.one_of(
        st.sampled_from(ACTS).map(lambda act: (act,)),
        st.sampled_from(
            (
                (("off", "technician"), ("on", "technician"), ("pin", ADA)),
                (("off", "attendant"), ("on", "attendant"), ("press", "service:row:0"), ("pin", BEN)),
                (("off", "attendant"), ("on", "attendant"), ("card", BENS), ("pin", BEN)),
            )
        ),
    ),
    min_size=3,
    max_size=15,
).map(lambda pieces: [act for piece in pieces for act in piece])
"""Acts of any kind, and now and then the ways in that somebody would try."""


class Tally:
    """What was shown at the present gate; it reads no figure of the cabinet's."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.key = ""
        self.logic_open = self.blocked = False
        self.cards: set[str] = set()
        self.pins: set[str] = set()
        self.waived: set[str] = set()

    def gate(self) -> None:
        """A new gate: nothing counts that came before."""
        self.cards.clear()
        self.pins.clear()
        self.waived.clear()

    def may_be(self, name: str) -> bool:
        """Whether that person has shown enough."""
        if self.key == "technician" and name != ADA:
            return False
        if self.mode == "instead":
            return name in self.cards | self.pins
        return name in (self.cards & self.pins) | self.waived


async def _do(rig: Rig, tally: Tally, word: str, what: str) -> None:
    if word in ("card", "pin", "half"):
        await _show(rig, tally, word, what)
    else:
        await _handle(rig, tally, word, what)
    await rig.press("nothing", 0.3)
    await rig.until_true(lambda: rig.service.at_rest)


async def _show(rig: Rig, tally: Tally, word: str, what: str) -> None:
    """Present a card, whole or half, or type a PIN."""
    match word:
        case "card":
            if what in OWNERS and not (tally.blocked and what == BENS):
                tally.cards.add(OWNERS[what])
            await present(rig, what)
        case "pin":
            tally.pins.add(what)
            if tally.logic_open:
                tally.waived.add(what)
            await type_pin(rig, what)
        case _:
            rig.service.unread()


async def _handle(rig: Rig, tally: Tally, word: str, what: str) -> None:
    """Turn a key, move a door, press, wait, kill it, or have Ben's card blocked."""
    match word:
        case "on" | "off":
            rig.machine.keys.take(what, turned=word == "on")
        case "door":
            tally.logic_open = what == "open"
            rig.machine.states.door("logic", is_open=tally.logic_open)
        case "press":
            await rig.press(what)
        case "wait":
            await rig.press("nothing", 200)
        case "kill":
            await rig.restart()
            tally.logic_open = False
        case "block":
            tally.blocked = True
            await rig.journal.do(lambda tx: block_card(tx, 2))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(("instead", "with-pin")), SEQUENCES)
def test_nobody_comes_in_without_what_the_mode_asks_for(mode: Mode, acts: list[tuple[str, str]]) -> None:
    """And nobody who is in has a key's role without being one of its people."""

    async def play(folder: Path) -> None:
        tally = Tally(mode)
        async with carded(folder, mode) as (rig, _hand):
            for key in ("attendant", "technician"):
                rig.machine.keys.take(key, turned=False)
            for word, what in acts:
                if not rig.service.is_open:
                    tally.gate()
                await _do(rig, tally, word, what)
                actor = rig.service.presence.actor
                tally.key = str(rig.service.opened_by or "")
                assert actor is None or tally.may_be(actor.name), (mode, acts, actor)
                assert actor is None or actor.role == Role(tally.key)
                assert rig.credit == 0

    with TemporaryDirectory() as folder:
        run_virtual(play(Path(folder)))
