"""U.7.3: a new program from a stick, the one of before, and what holds the machine meanwhile."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

import pytest

from controller.features.update.events import UpdateEvent
from controller.features.update.orders import Act, End, Folders, Intent, Outcome, Report, Why, Wish, forget, read, write
from controller.features.update.signing import SigningKey
from controller.features.update.trial_watch import HELD, LONGEST_MS
from controller.features.update.updating_page import BACK_QUESTION, INSTALL_QUESTION
from controller.journal.actor import Role
from controller.journal.schema import NAMES
from controller.journal.settings import stored_settings
from controller.system.host import Departure
from tests.features.update.rig import trial_of
from tests.rigs.machine import Rig
from tests.rigs.people import PIN
from tests.rigs.program_trees import NEW, OLDER, bundled, forged, tree_of
from tests.rigs.service_menu import Hand, technician, with_sticks
from tests.rigs.updates import BOOT, nothing, places

pytestmark = pytest.mark.requirement("S5", "G7")

OWN = version("cabinet")


@asynccontextmanager
async def updated(folder: Path) -> AsyncIterator[tuple[Rig, Hand, Folders]]:
    """A rig whose machine takes updates, with a technician in its menu and the main door open."""
    at = places(folder)
    async with technician(folder) as (rig, hand):
        trial_of(rig).fit(at, BOOT)
        rig.run(trial_of(rig).run(nothing))
        yield rig, hand, at


async def pages(hand: Hand, *rows: str) -> None:
    """Go to U.7.3, and on from there."""
    await hand.go("U.7")
    await hand.enter("U.7.3")
    assert hand.page.code == "U.7.3"
    for row in rows:
        await hand.enter(row)


async def looked(rig: Rig, hand: Hand) -> dict[str, str]:
    """Look at what lies on the stick; return what each row says, by its place."""
    await pages(hand, "Look for updates on the stick")
    await rig.until_true(lambda: hand.page.code == "U.7.4")
    return {row.place: row.value for row in hand.page.rows}


async def confirmed(rig: Rig, hand: Hand, question: str) -> None:
    """Say YES, twice."""
    for _ in range(2):
        assert (hand.page.question, hand.page.yes) == (question, False)
        await rig.press("lines")
        await rig.press("spin")


async def test_a_machine_that_is_not_made_for_it_takes_no_updates(tmp_path: Path) -> None:
    """A demo, a source tree, a cabinet without a maker's key."""
    async with technician(tmp_path) as (_rig, hand):
        await pages(hand)
        assert [row.label for row in hand.page.rows] == ["This machine takes no updates: see docs, installation"]


async def test_bundles_are_distinguished_before_anything_is_offered(tmp_path: Path) -> None:
    """Newer, the same, older; another maker's, another machine's and one that is none at all lead nowhere."""
    async with updated(tmp_path) as (rig, hand, at):
        stick = tmp_path / "sticks/BLUE"
        for number in ("99.0", OWN, "0.0.1"):
            bundled(number, stick, migrations=NAMES)
        bundled("0.0.2", stick, migrations=NAMES[:-1])
        forged(bundled("97.0", stick), architecture="vax")
        bundled("96.0", stick, key=SigningKey.throwaway())
        (stick / "none.cabinet").write_bytes(b"")
        assert await looked(rig, hand) == {
            "99.0": "newer",
            OWN: "the same version",
            "0.0.1": "older",
            "0.0.2": "older",
            "": "",
            "cabinet-97.0.cabinet": "for another kind of machine",
            "cabinet-96.0.cabinet": "not whole or not the maker's",
            "none.cabinet": "not whole or not the maker's",
        }
        assert [row.leads for row in hand.page.rows].count(True) == 4
        labels = [row.label for row in hand.page.rows]
        at_loss = next(place for place, row in enumerate(hand.page.rows) if row.place == "0.0.2")
        assert labels.index("This one takes the books only while no money was counted since they were copied") == (
            at_loss + 1
        )
        assert not at.wanted.exists()


async def test_a_bundle_is_brought_into_the_machine_and_asked_for(tmp_path: Path) -> None:
    """Two confirmations; the copy is proved, the books say who and what, play stops until the updater has answered."""
    async with updated(tmp_path) as (rig, hand, at):
        path = bundled("99.0", tmp_path / "sticks/BLUE", migrations=NAMES)
        await looked(rig, hand)
        await hand.enter("Install")
        await confirmed(rig, hand, INSTALL_QUESTION)
        assert await hand.result() == "The update is under way: the machine plays again when it has ended"
        wish = read(at.wanted, Wish)
        assert wish is not None
        assert (wish.act, wish.bundle) == (Act.INSTALL, path.name)
        assert (tmp_path / "bundles" / path.name).read_bytes() == path.read_bytes()
        assert await rig.events("update") == [
            f"99.0 in place of {OWN}, asked for by the technician, from BLUE",
        ]
        assert HELD in rig.notices()
        outcome = Outcome(id=wish.id, act=wish.act, old=OWN, new="99.0", end=End.REFUSED, why=Why.ROOM, detail="full")
        write(at.outcome, outcome)
        await rig.until_true(lambda: HELD not in rig.notices())
        assert (await rig.events("update"))[1:] == [f"99.0 was refused, {OWN} plays on: full"]
        for _ in range(4):
            await rig.press("collect")
        await pages(hand)
        assert "There is not enough room on the disk" in [row.label for row in hand.page.rows]


async def test_a_copy_that_is_not_whole_is_not_asked_for(tmp_path: Path) -> None:
    """The head may be the maker's and the rest not: the whole copy is proved before the updater hears of it."""
    async with updated(tmp_path) as (rig, hand, at):
        path = bundled("99.0", tmp_path / "sticks/BLUE", migrations=NAMES)
        path.write_bytes(path.read_bytes()[:-1] + b"!")
        await looked(rig, hand)
        await hand.enter("Install")
        await confirmed(rig, hand, INSTALL_QUESTION)
        assert await hand.result() == "The bundle is not whole or not the maker's"
        assert not at.wanted.exists()
        assert list((tmp_path / "bundles").iterdir()) == []
        assert await rig.events("update") == []


@pytest.mark.requirement("S5")
@pytest.mark.parametrize("hindrance", ["credit", "door"])
async def test_nothing_is_asked_for_while_anything_is_at_stake(tmp_path: Path, hindrance: str) -> None:
    """No credit on the meter, and the main door open."""
    async with updated(tmp_path) as (rig, hand, at):
        bundled("99.0", tmp_path / "sticks/BLUE", migrations=NAMES)
        if hindrance == "credit":
            await hand.turn(Role.TECHNICIAN, on=False)
            await rig.door(is_open=False)
            await rig.game(500)
            await rig.door(is_open=True)
            await hand.turn(Role.TECHNICIAN)
            await hand.type(PIN)
            await rig.until_true(lambda: bool(hand.page.rows))
        await looked(rig, hand)
        await hand.enter("Install")
        if hindrance == "door":
            await rig.door(is_open=False)
        await confirmed(rig, hand, INSTALL_QUESTION)
        refusal = {"credit": "First pay out the credit of {credit_cents}", "door": "Open the main door first"}
        assert await hand.result() == refusal[hindrance]
        assert not at.wanted.exists()
        assert not (tmp_path / "bundles").exists()


async def test_the_program_of_before_is_asked_for_by_name(tmp_path: Path) -> None:
    """Its version is shown; one without an updater of its own could not be run on trial, and is not offered."""
    async with updated(tmp_path) as (rig, hand, at):
        tree = tree_of(OLDER, at.previous)
        shutil.rmtree(tree / "system")
        await pages(hand)
        assert OLDER not in [row.place for row in hand.page.rows]
        shutil.rmtree(tree)
        tree_of(OLDER, at.previous)
        for _ in range(3):
            await rig.press("collect")
        await pages(hand, "Go back to the program of before")
        await confirmed(rig, hand, BACK_QUESTION)
        await hand.result()
        wish = read(at.wanted, Wish)
        assert wish is not None
        assert (wish.act, wish.bundle) == (Act.BACK, "")
        assert await rig.events("roll_back") == [f"{OLDER} in place of {OWN}, asked for by the technician"]


async def test_an_update_that_nobody_took_is_reported_and_play_goes_on(tmp_path: Path) -> None:
    """The power was off before the updater began; within one start of the computer it is waited for."""
    async with with_sticks(tmp_path) as rig:
        at = places(tmp_path)
        wish = Wish(id="1", act=Act.BACK)
        trial_of(rig).fit(at, BOOT)
        await rig.journal.do(lambda tx: trial_of(rig).ask(tx, wish, UpdateEvent.ROLL_BACK_ASKED))
        await rig.restart(until="attract")
        trial_of(rig).fit(at, BOOT)
        rig.run(trial_of(rig).run(nothing))
        await rig.until_true(lambda: HELD in rig.notices())
        await rig.restart()
        trial_of(rig).fit(at, "another start")
        rig.run(trial_of(rig).run(nothing))
        await rig.until("attract")
        assert HELD not in rig.notices()
        assert (await rig.events("roll_back"))[-1].startswith("What was asked for was not done")
        assert LONGEST_MS > 40 * 60_000


async def test_a_program_on_trial_plays_nothing_and_says_how_it_fares(tmp_path: Path) -> None:
    """No money, no pulse, no menu; once it is decided the program restarts, and the outcome is recorded."""
    at = places(tmp_path)
    write(at.intent, Intent(id="1", act=Act.INSTALL, old="0", new=OWN, tree=1, migrations=()))
    async with with_sticks(tmp_path) as rig:
        trial_of(rig).fit(at, BOOT)
        lacks = ("no display is connected",)
        rig.run(trial_of(rig).run(lambda: lacks))
        rig.machine.states.new_turn()
        await rig.until("tilted")
        assert rig.machine.conditions.meters_held
        assert not await rig.note(2000)
        assert (rig.front.coins, rig.front.notes) == (False, frozenset())
        rig.machine.keys.take("attendant", turned=True)
        await rig.press("spin", 2.0)
        assert rig.shown == "tilted"
        report = read(at.report, Report)
        assert report is not None
        assert (report.version, report.lacks) == (OWN, lacks)
        assert rig.machine.clock.now() - report.at_s <= 1.0
        write(at.outcome, Outcome(id="1", act=Act.INSTALL, old="0", new=OWN, end=End.DONE))
        forget(at.intent)
        await rig.until_true(lambda: rig.host.departures == [Departure.RESTART])
        await rig.restart()
        trial_of(rig).fit(at, BOOT)
        rig.run(trial_of(rig).run(nothing))
        await rig.until("attract")
        await rig.until_true(lambda: trial_of(rig).newest() is not None)
        assert await rig.events("update") == [f"{OWN} plays in place of 0"]
        await rig.restart(until="attract")
        trial_of(rig).fit(at, BOOT)
        rig.run(trial_of(rig).run(nothing))
        await rig.press("info", 3.0)
        assert len(await rig.events("update")) == 1


async def test_what_a_person_must_do_says_nothing_against_a_program(tmp_path: Path) -> None:
    """An open door, a PIN to be chosen; faults from before do not count either, and anything else does."""
    async with with_sticks(tmp_path) as rig:
        update_trial = trial_of(rig)
        assert update_trial.lacking(display=True, books=True) == ()
        assert update_trial.lacking(display=False, books=False) == (
            "no display is connected",
            "the books are not proved yet",
        )
        await rig.door(is_open=True)
        assert update_trial.lacking(display=True, books=True) == ()
        await rig.listener.device_fault("bill_validator", "acceptor_jam", present=True)
        await rig.until_true(lambda: bool(update_trial.lacking(display=True, books=True)))
        assert update_trial.lacking(display=True, books=True) == ("acceptor_jam bill_validator",)


async def test_what_stopped_play_before_is_not_the_new_programs_fault(tmp_path: Path) -> None:
    """A jam from before the update was asked for."""
    at = places(tmp_path)
    async with with_sticks(tmp_path) as rig:
        await rig.listener.device_fault("bill_validator", "acceptor_jam", present=True)
        await rig.until("tilted")
        trial_of(rig).fit(at, BOOT)
        wish = Wish(id="1", act=Act.INSTALL, bundle="x.cabinet")
        await rig.journal.do(lambda tx: trial_of(rig).ask(tx, wish, UpdateEvent.ROLL_BACK_ASKED))
        await rig.journal.do(stored_settings)
        await rig.restart()
        write(at.intent, Intent(id="1", act=Act.INSTALL, old="0", new=NEW, tree=1, migrations=()))
        trial_of(rig).fit(at, BOOT)
        update_trial = trial_of(rig)
        rig.run(update_trial.run(lambda: update_trial.lacking(display=True, books=True)))

        def is_well() -> bool:
            report = read(at.report, Report)
            return report is not None and not report.lacks

        await rig.until_true(is_well)
        assert "acceptor_jam" in rig.notices()
