"""Every act of every page, with the power cut before each of its statements: done or not done (service-menu.md)."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.features.diagnostics.device_test import DeviceTestPage
from controller.features.doctor.guide.steps import CODE as GUIDE
from controller.journal.actor import Actor, Role
from controller.journal.errors import RefusedError
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.service import tree
from controller.service.page import Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from tests.controller.service.cut_scenes import SCENES, held, typed
from tests.rigs.service_menu import technician
from tests.rigs.shots import Shots

pytestmark = [pytest.mark.sampled(2), pytest.mark.requirement("P1")]

MONEY = {"A.2 Pay by hand", "A.4 Give service credit", "U.5 Void the credit"}
DONE = {
    "owing": {
        *MONEY,
        "A.7 Close the machine for players",
        "A.8 Coins had left the hopper",
        "A.8 Money was returned",
        "A.8 No coin had left the hopper",
        "A.8 Put it on the credit",
        "A.8 Nothing is owed",
        "A.8 Pay by hand",
        "U.2 Put coins in",
        "U.3 Collect and close the period",
        "U.4 Clear the period meters",
    },
    "settled": {
        "A.3 The {place} is jammed",
        "C.2 Credit limit",
        "C.3 Coin value",
        "C.4 Brightness",
        "C.4 Loudest volume",
        "C.8 Factory defaults",
    },
    "cleared": {"U.9 Begin demo mode"},
    "demo": {"U.9 Give free credits", "U.9 Take the free credits back"},
}
"""Acts that must have been done in books of that kind; most are in several."""
REFUSED = {
    "owing": {"C.2 Credit limit", "C.3 Coin value", "C.8 Factory defaults", "U.9 Begin demo mode"},
    "settled": {"U.9 Begin demo mode"},
    "cleared": set[str](),
    "demo": {*MONEY, "C.2 Credit limit"},
}
"""Acts that these books must not have taken (C11, M12)."""


def acts_on(lines: Sequence[Line], tx: Transaction, machine: ServicedMachine) -> Iterator[tuple[str, MenuTransaction]]:
    """Yield every act of a page and of the pages of its own that it leads to, by its label."""
    for line in lines:
        if isinstance(line.leads, MenuTransaction):
            yield line.label, line.leads
        elif isinstance(line.leads, Page) and not isinstance(line.leads, DeviceTestPage):
            yield from acts_on(line.leads.read(tx, machine), tx, machine)


def all_acts(tx: Transaction, machine: ServicedMachine) -> Iterator[tuple[str, MenuTransaction]]:
    """Yield every act of the menu, by its page and label."""
    settings = set[str]()
    for code, page in sorted(tree.pages().items(), key=lambda item: item[0] == GUIDE):
        if not isinstance(page, DeviceTestPage):
            for label, act in acts_on(page.read(tx, machine), tx, machine):
                # What the set-up guide sets as C does is cut there.
                if code != GUIDE or label not in settings:
                    yield f"{code} {label}", act
                settings.add(label)


def cut_everywhere(base: Path, folder: Path, act: MenuTransaction) -> bool:
    """Do an act on a copy of the journal in `base`, see what each cut leaves of it; return whether it did anything."""
    shutil.copytree(base, folder / "whole")
    path = folder / "whole" / "journal.sqlite"
    before = held(path)
    shots: list[Shots] = []

    def do(tx: Transaction) -> None:
        shots.append(Shots(tx, path, folder))
        act.do(shots[0], Submission(Actor(Role.TECHNICIAN), {entry.name: typed(entry) for entry in act.entries}))

    refused = False
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        try:
            store.transact(do)
        except RefusedError:
            refused = True
        shots[0].shoot()
    left = [held(folder / str(number) / "journal.sqlite") for number in range(shots[0].taken)]
    after = left.pop()
    assert all(one == before for one in left)
    assert not (refused and after != before)
    assert audit(path, lambda *_: None).failures == []
    return after != before


# The acts of cleared books and of a demo's are few and cut as slowly: proofs.
@pytest.mark.parametrize(
    "scene",
    [pytest.param(name, marks=[pytest.mark.proof] if name in ("cleared", "demo") else []) for name in sorted(SCENES)],
)
async def test_a_cut_before_any_statement_of_any_act_leaves_it_not_done(tmp_path: Path, scene: str) -> None:
    """Each act of each page, in books that owe, are settled, cleared or a demo's: whole or not at all, and balanced."""
    done: set[str] = set()
    refused: set[str] = set()

    async with technician(tmp_path) as (rig, _hand):
        await rig.journal.do(SCENES[scene])
        await rig.machine.journal.reload()
        found = await rig.journal.do(lambda tx: list(all_acts(tx, rig.service.machine)))
    base = tmp_path / "base"
    base.mkdir()
    for name in (rig.path, Path(f"{rig.path}-wal")):
        if name.exists():
            shutil.copy(name, base)
    for number, (words, act) in enumerate(found):
        folder = tmp_path / f"act {number}"
        folder.mkdir()
        (done if cut_everywhere(base, folder, act) else refused).add(words)
        shutil.rmtree(folder)
    assert DONE[scene] <= done
    assert not REFUSED[scene] & done
