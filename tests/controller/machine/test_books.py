"""What the machine does with its journal: every commit survives a cut, and a journal that fails locks the cabinet."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from controller.books.audit import audit
from controller.journal.errors import CorruptJournalError, JournalStorageError
from controller.journal.head import head_file
from controller.journal.settings import stored_settings
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from controller.rounds.draws import seeded_source
from controller.rounds.engine import Round
from controller.safe_mode import serve_locked_screen
from controller.system.notify import Notifier
from drivers.clock import LoopClock
from gamekit.catalogue import load
from gamekit.play import Draw, Stake
from tests.bench.core_cabinet import PlainDisplay
from tests.games.bewitched_table import MOONS
from tests.rigs.bewitched import bewitched
from tests.rigs.edits import edit
from tests.rigs.logged_events import words_of
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.seeds import CHESTS, FREE_SPINS, STAKE_CENTS, WINNING
from tests.rigs.spoiled_books import failing, full, spoil
from tests.rigs.virtual_cabinet import VirtualCabinet, configuration, takes_coins

T = TypeVar("T")


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    """Return what a closed journal says."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def expected(seed: int) -> tuple[int, int]:
    """How many segments the first round of `seed` has when the first choice is always taken, and its win in cents."""
    source = seeded_source(seed)
    played = Round(load("neptune"), Stake(lines=15, coins_per_line=1, coin_value_cents=10), "null")
    while not played.ended:
        played.advance(None if played.offer is None else played.offer.choices[0], source(0, played.segments))
    return played.segments, played.win_cents


@pytest.mark.requirement("P1", "P3")
@pytest.mark.parametrize("seed", [WINNING, CHESTS, FREE_SPINS])
async def test_a_round_cut_after_each_commit_ends_as_if_it_had_not_been(tmp_path: Path, seed: int) -> None:
    """Killed before any segment is shown, each comes back as it was: same steps, same win, settled once."""
    segments, win = expected(seed)

    async with Rig(tmp_path, draws=seeded_source(seed)) as rig:
        await rig.game(2000)
        rig.machine.states.press("spin")
        for number in range(1, segments + 1):
            await rig.until("round")
            held = await rig.rows("SELECT count(*) FROM segments")
            assert held == [(number,)]
            shown = rig.screen.shows[-1]
            await rig.restart()
            if number == segments:
                break
            await rig.until_true(lambda: bool(rig.screen.shows))
            assert (rig.screen.shows[0], rig.screen.view.round.resumed) == (shown, True)
            await rig.until_true(lambda: rig.shown == "offer" or len(rig.screen.shows) > 1)
            rig.machine.states.press("spin")
            await rig.until_true(lambda: len(rig.screen.shows) > 1)
        await rig.until("idle")
        assert (rig.credit, await rig.meter("wins"), await rig.meter("games")) == (2000 - STAKE_CENTS + win, win, 1)
        assert await rig.rows("SELECT state FROM rounds") == [("settled",)]
    proof = audit(rig.path, lambda _what, _done, _total: None)
    assert (proof.failures, proof.replayed) == ([], 1)


async def test_a_round_that_replays_otherwise_is_void(tmp_path: Path) -> None:
    """A changed draw gives the stake back and takes the win back; all is kept, the attendant called (invariant 4)."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        assert await rig.meter("wins") > 0
        await spoil(
            rig,
            "DROP TRIGGER segments_no_update",
            "UPDATE segments SET draws = json_set(draws, '$[0][1]', (json_extract(draws, '$[0][1]') + 1) % 20)",
        )
        await rig.start(until="idle")
        assert (rig.credit, rig.notices()) == (2000, {"replay_mismatch"})
        assert await rig.rows("SELECT state FROM rounds") == [("void",)]
        assert await rig.rows("SELECT count(*) FROM segments") == [(1,)]
        await rig.turn_key("attendant")
        assert rig.notices() == set()
        await rig.press("spin")
        await rig.until("round")
    assert audit(rig.path, lambda _what, _done, _total: None).failures == []


@pytest.mark.parametrize("alone", [False, True])
async def test_a_round_that_cannot_go_on_is_void(tmp_path: Path, *, alone: bool) -> None:
    """Where the play fails in mid-round the stake and the win go back at once; no spin of autospin follows."""
    failing = [True]

    def draws(number: int, segment: int) -> Draw:
        def fail(_bound: int, /) -> int:
            raise ZeroDivisionError("the chest's table is empty")

        return fail if segment and failing else seeded_source(CHESTS)(number, segment)

    async with Rig(tmp_path, draws=draws) as rig:
        await rig.game(2000)
        await rig.press("auto" if alone else "spin")
        await rig.press("auto:start" if alone else "")
        await rig.until("offer")
        assert await rig.meter("wins") > 0
        await rig.press("choice:3", 2.0)
        assert (rig.shown, rig.credit, rig.notices()) == ("idle", 2000, {"replay_mismatch"})
        assert (rig.screen.view.balance.credit_cents, rig.screen.view.round.win_cents) == (2000, 0)
        assert await rig.rows("SELECT state FROM rounds") == [("void",)]
        failing.clear()
        await rig.turn_key("attendant")
        await rig.press("spin")
        await rig.until("round")
        assert await rig.meter("games") == 2
    assert audit(rig.path, lambda _what, _done, _total: None).failures == []


async def test_a_win_at_risk_that_was_edited_locks_and_voids_nothing(tmp_path: Path) -> None:
    """Where somebody else has changed what the open round is replayed from, no credit moves; put back, it goes on."""
    async with bewitched(tmp_path, *MOONS, every_round=True) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("gamble_offer")
        credit = rig.credit
        await rig.kill()
        [(steps,)] = rows(rig.path, "SELECT steps_sha256 FROM segments")
        edit(rig.path, "UPDATE segments SET steps_sha256 = zeroblob(32)")
        with pytest.raises(CorruptJournalError, match="something else than this program: segments"):
            await rig.start()
        assert rows(rig.path, "SELECT state, credit_cents FROM rounds, cabinet") == [("open", credit)]
        edit(rig.path, f"UPDATE segments SET steps_sha256 = x'{steps.hex()}'")  # noqa: S608 - a digest
        await rig.start(until="gamble_offer")
        assert (rig.credit, rig.notices()) == (credit, set())


async def test_a_round_of_other_maths_is_void_at_the_start(tmp_path: Path) -> None:
    """A program that was renewed since gives the stake of the open round back, and says why."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        await spoil(rig, "UPDATE rounds SET maths_version = maths_version + 1, maths_hash = 'other'")
        await rig.start(until="idle")
        assert (rig.credit, rig.notices()) == (2000, {"replay_mismatch"})
        assert await rig.rows("SELECT state FROM rounds") == [("void",)]


async def test_draws_that_cannot_be_read_lock_the_cabinet(tmp_path: Path) -> None:
    """A record of draws that is no record any more is a damaged file, said in plain words, and nothing is staked."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("offer")
        await spoil(rig, "DROP TRIGGER segments_no_update", "UPDATE segments SET draws = '[[40,'")
        await rig.start(until="locked")
        assert rig.notices() == {"journal_corrupt"}
        for control in ("spin", "collect", "service"):
            await rig.press(control)
        assert rig.shown == "locked"


async def test_a_ledger_that_cannot_be_read_is_refused_at_the_start(tmp_path: Path) -> None:
    """A row whose contents are no JSON is named as damage, not met with a traceback."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await spoil(rig, "DROP TRIGGER ledger_no_update", "UPDATE ledger SET meters = '{' WHERE seq = 2")
        with pytest.raises(CorruptJournalError, match="is damaged"):
            await rig.start()
        rig.path.unlink()
        head_file(rig.path).unlink()
        await rig.start()


@pytest.mark.requirement("M7")
async def test_a_self_audit_that_fails_locks_for_good(tmp_path: Path) -> None:
    """A credit meter that the others contradict stakes and pays nothing, now and after every restart."""
    async with Rig(tmp_path) as rig:
        await rig.game(500)
        await rig.journal.do(lambda tx: tx.execute("UPDATE cabinet SET credit_cents = 5000"))
        await rig.press("spin")
        assert (rig.shown, rig.notices()) == ("locked", {"journal_corrupt"})
        assert (rig.front.coins, rig.front.notes, dict(rig.front.lit)) == (False, frozenset(), {})
        assert (rig.front.light["top"], rig.front.light["bottom"]) == ("fast", "off")
        await rig.turn_key("technician")
        assert rig.shown == "locked"
        await rig.kill()
        with pytest.raises(CorruptJournalError, match="the credit meter shows 5000"):
            await rig.start()
        rig.path.unlink()
        head_file(rig.path).unlink()
        await rig.start()


@pytest.mark.parametrize(("trouble", "code"), [(failing, "journal_storage"), (full, "journal_full")])
@pytest.mark.parametrize("state", ["attract", "idle", "offer", "handpay", "collecting"])
async def test_a_disk_that_fails_locks_from_every_state(
    tmp_path: Path, state: str, trouble: Callable[[Transaction], None], code: str
) -> None:
    """The reason stays on the screen, no money is taken, no coin is paid any more, and nothing ends by itself."""
    hopper = PlainHopper()
    async with Rig(tmp_path, draws=seeded_source(CHESTS), hopper=hopper if state == "collecting" else None) as rig:
        if state != "attract":
            await rig.game(2000)
        if state in ("handpay", "collecting"):
            await rig.press("collect")
        elif state == "offer":
            await rig.press("spin")
        await rig.until(state)
        with pytest.raises(JournalStorageError, match="free space"):
            await rig.machine.journal.do(trouble)
        await asyncio.sleep(1.0)
        tray = hopper.tray
        await asyncio.sleep(30.0)
        assert (rig.shown, rig.notices(), hopper.tray) == ("locked", {code}, tray)
        assert (rig.front.coins, dict(rig.front.lit)) == (False, {})
        rig.machine.states.door("main", is_open=True)
        await rig.turn_key("attendant")
        assert rig.shown == "locked"


class FullDisk(Store):
    """A journal that can be read and not be written."""

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Refuse what would write: all but the settings, which are read before anything else."""
        if act is stored_settings:
            return super().transact(act, durable=durable)
        raise self._remember(JournalStorageError(f"{self.path} cannot be written: free space on its disk"))


async def test_a_disk_full_before_the_first_write_has_its_screen(tmp_path: Path) -> None:
    """A supervisor whose first transaction fails serves the locked screen, and does not end in a loop of restarts."""
    cabinet = VirtualCabinet(tmp_path, store=FullDisk)
    supervisor = await cabinet.start()
    display = PlainDisplay(cabinet.config.cabinet.display_socket, 0.0)
    drawing = asyncio.create_task(display.run())
    try:
        view = await display.until(lambda view: view.state == "locked")
        assert [notice.code for notice in view.notices] == ["journal_storage"]
        assert not cabinet.coins.insert(100)
        await asyncio.sleep(5.0)
        assert (cabinet.coins.insert(100), supervisor.machine.states.state) == (False, "booting")
    finally:
        drawing.cancel()
        await cabinet.kill()


async def test_a_journal_that_cannot_be_opened_has_its_screen_and_inhibits_the_coins(tmp_path: Path) -> None:
    """The reason is shown and stays; an acceptor left enabled by a killed supervisor takes no more coins."""
    cabinet = VirtualCabinet(tmp_path)
    await cabinet.start()
    await cabinet.until(lambda: takes_coins(cabinet))
    await cabinet.kill()
    cabinet.coins.inhibited = False  # as SIGKILL leaves it
    error = CorruptJournalError("journal.sqlite is damaged: restore it")
    serving = serve_locked_screen(
        cabinet.config, error, Notifier(), LoopClock(), lambda path, _parity, _stop_bits: cabinet.lines[path].port
    )
    display = PlainDisplay(cabinet.config.cabinet.display_socket, 0.0)
    tasks = [asyncio.create_task(serving), asyncio.create_task(display.run())]
    view = await display.until(lambda view: view.state == "locked")
    assert [(notice.code, notice.text) for notice in view.notices] == [("journal_corrupt", str(error))]
    assert view.controls == ()
    await asyncio.sleep(10.0)
    assert (cabinet.coins.inhibited, tasks[0].done()) == (True, False)
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_journal_that_fails_in_mid_play_inhibits_the_coins(tmp_path: Path) -> None:
    """The coin whose commit failed stays in the acceptor's buffer, and no other one is swallowed after it."""
    cabinet = VirtualCabinet(tmp_path)
    supervisor = await cabinet.start()
    await cabinet.until(lambda: takes_coins(cabinet))
    try:
        with pytest.raises(JournalStorageError):
            await supervisor.machine.journal.do(failing)
        assert cabinet.coins.insert(100)
        await asyncio.sleep(2.0)
        assert (cabinet.coins.inhibited, cabinet.coins.insert(100), cabinet.credit) == (True, False, 0)
    finally:
        await cabinet.kill()
    await cabinet.start()
    try:
        await cabinet.until(lambda: cabinet.credit == 100)
    finally:
        await cabinet.kill()


async def test_pulses_are_owed_across_a_cut(tmp_path: Path) -> None:
    """What the meters were not given when power failed is given afterwards; the cut one is recorded (invariant 7)."""
    cabinet = VirtualCabinet(tmp_path)
    await cabinet.start()
    await asyncio.sleep(8.0)
    await cabinet.insert_note(500)
    await asyncio.sleep(1.02)
    await cabinet.kill()
    await cabinet.start()
    try:
        await asyncio.sleep(20.0)
        assert cabinet.supervisor is not None
        drop, cuts = await cabinet.supervisor.journal.do(_pulses)
        assert drop == (0, 50, 500, 0, len(cuts))
        assert set(cuts) <= {"hard meter for the drop: the power was cut during a pulse"}
        assert len(cuts) == 1
    finally:
        await cabinet.kill()


def _pulses(tx: Transaction) -> tuple[tuple[int, ...], list[str]]:
    drop = tx.execute(
        "SELECT owed, given, given_units, in_flight, doubtful FROM hard_meters WHERE name = 'drop'"
    ).fetchone()
    return drop, words_of(tx.execute, "pulse_cut")


@pytest.mark.requirement("C3")
async def test_every_invariant_figure_is_in_the_books_after_an_evening(tmp_path: Path) -> None:
    """Ten rounds, a door, a restart and a cash-out later the books balance and all replays (invariants 2, 4)."""
    hopper = PlainHopper()
    config = configuration(tmp_path)
    payout = replace(config.payout, residue="hand_pay")
    async with Rig(tmp_path, hopper=hopper, config=replace(config, payout=payout)) as rig:
        await rig.game(5000)
        for number in range(10):
            await rig.press("spin", 0.3)
            if number == 3:
                await rig.door(is_open=True)
                await rig.door(is_open=False)
            if number == 6:
                await rig.restart()
            while rig.shown != "idle":
                await rig.press("spin", 0.3)
        await rig.press("collect")
        while rig.credit:
            await rig.turn_key("attendant")
            await asyncio.sleep(1.0)
        await rig.until("idle")
        assert await rig.meter("games") == 10
        paid = await rig.meter("hopper_out") + await rig.meter("hand_pay")
        assert paid == 5000 - await rig.meter("stakes") + await rig.meter("wins")
        assert await rig.meter("hopper_out") == 100 * hopper.tray
    proof = audit(rig.path, lambda _what, _done, _total: None)
    assert (proof.failures, proof.replayed, proof.credit_cents) == ([], 10, 0)
