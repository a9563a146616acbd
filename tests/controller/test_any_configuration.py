"""Whatever a configuration says that check-config accepts: the supervisor starts, and the credit can be taken out."""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from controller.faults import METER_JUMP, Clears, Stops, explain
from controller.features.demo.settings import HOPPER_COIN_CENTS
from controller.machine.machine import Machine
from controller.session.betting import residue_cents
from controller.settings.settings import Value
from tests.rigs.any_configuration import AnyCabinet, accepted, changes, complete, wires
from tests.rigs.patience import until
from tests.rigs.real_cabinet import RealCabinet
from tests.rigs.virtual_cabinet import configuration
from tests.rigs.virtual_time import run_virtual

NOTE_CENTS = 2_000
GAMES = ("neptune", "bewitched", "witch_feature", "mystery_elves", "mona_lisa_jewels", "star_quarry")


async def lived_through(folder: Path, drawn: dict[str, Value | None], protocol: str = "id003") -> None:
    """Put 20.00 in, start with the other configuration, play where it can be played, and take all credit out."""
    cabinet = AnyCabinet(folder, protocol, GAMES)
    await cabinet.start()
    await cabinet.until(lambda: cabinet.state == "attract")
    await asyncio.sleep(8.0)
    await cabinet.insert_note(NOTE_CENTS)
    await cabinet.until(lambda: cabinet.credit == NOTE_CENTS)
    await cabinet.stop()
    cabinet.config = accepted(cabinet.config, drawn)
    supervisor = await cabinet.start()
    machine = supervisor.machine
    try:
        await cabinet.until(machine.states.up.is_set)
        await asyncio.sleep(10.0)
        stopped = [code for code, _place in machine.conditions.active if Stops.PLAY in explain(code).stops]
        if not stopped:
            await played(cabinet)
        await taken_out(cabinet)
        await supervisor.journal.do(lambda tx: tx.audit())
    finally:
        await cabinet.kill()


async def played(cabinet: AnyCabinet) -> None:
    """Press what leads into a game, and SPIN until a round was staked or the screen says why none is."""
    assert cabinet.supervisor is not None
    machine = cabinet.supervisor.machine
    before = await machine.journal.do(lambda tx: tx.execute("SELECT count(*) FROM rounds").fetchone())
    for _ in range(12):
        for control in ("limit:take", "check:go_on", "choice:0", "witch:0", "spin"):
            if control in machine.states.controls:
                machine.states.press(control)
                break
        await asyncio.sleep(3.0)
        if before != await machine.journal.do(lambda tx: tx.execute("SELECT count(*) FROM rounds").fetchone()):
            return
    assert machine.play.message, f"{machine.states.state}: nothing is staked, and nothing says why"


def key_of(machine: Machine) -> str:
    """Return whose key is wanted: an attendant's to pay, and whose the words say of a fault that stops COLLECT."""
    conditions = machine.conditions
    if conditions.overlay == "large_win" or machine.states.state == "handpay":
        return "attendant"
    stopping = [explain(code) for code, _place in conditions.active if Stops.PLAY in explain(code).stops]
    wanted = [fault.clears for fault in stopping if fault.clears in (Clears.ATTENDANT, Clears.TECHNICIAN)]
    return str(min(wanted)) if conditions.overlay == "tilted" and wanted else ""


async def taken_out(cabinet: AnyCabinet) -> None:
    """COLLECT, and the key that the screen asks for, until nothing is left but what can be played."""
    assert cabinet.supervisor is not None
    machine = cabinet.supervisor.machine
    for _ in range(120):
        if key := key_of(machine):
            await cabinet.turn(key)
        elif cabinet.credit == residue_cents(machine.settings.config, cabinet.credit):
            return
        else:
            live = machine.states.controls
            for control in ("collect", "choice:0", "history:close", "menu_close", "check:collect", "limit:take"):
                if control in live:
                    machine.states.press(control)
                    break
            else:
                if "spin" in live and machine.states.state in ("round", "offer", "gamble_offer", "gamble"):
                    machine.states.press("spin")
        await asyncio.sleep(2.0)
    raise AssertionError(
        f"{cabinet.credit} cents cannot be taken out: {machine.states.state} under {machine.conditions.overlay},"
        f" {machine.conditions.active}"
    )


CONFIG = complete(configuration(Path("anywhere")))
CHANGES = changes(CONFIG)
PROTOCOLS: st.SearchStrategy[str] = st.sampled_from(("id003", "ssp", "cctalk", "ebds"))


@given(CHANGES, PROTOCOLS)
@example({"games.enabled": ["neptune"], "games.default": "neptune", "games.largest_prize_cents": 1_000}, "id003")
@example({"games.enabled": ["mystery_elves"], "games.default": "mystery_elves", "games.largest_stake_cents": 5}, "ssp")
@example({"games.largest_prize_cents": 1}, "cctalk")
@example({"pins.buttons.service": None, "pins.buttons.collect": None}, "cctalk")
@example(dict.fromkeys(wires(CONFIG)), "id003")
@example({"limits.notes_jump_cents": 1_000, "service.attendant_key_alone": False}, "id003")
@example({"tickets.pays": "rest", "hopper": None, "tickets.slips": True, "cabinet.money.decimal": "·"}, "ebds")
@settings(max_examples=15, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_any_accepted_configuration_starts_and_pays_out(drawn: dict[str, Value | None], protocol: str) -> None:
    """It is playable, or stops in words; the credit can be taken out either way, and every cent is proved."""
    with tempfile.TemporaryDirectory() as folder:
        run_virtual(lived_through(Path(folder), drawn, protocol))


@pytest.mark.proof
@given(CHANGES, PROTOCOLS)
@settings(max_examples=400)
def test_no_search_finds_a_configuration_that_keeps_the_credit(drawn: dict[str, Value | None], protocol: str) -> None:
    """The same over many, other ones each time."""
    with tempfile.TemporaryDirectory() as folder:
        run_virtual(lived_through(Path(folder), drawn, protocol))


@pytest.mark.processes
@pytest.mark.parametrize(
    ("table", "line", "fault"),
    [("[limits]", "notes_jump_cents = 1_000", "meter_jump"), ("[games]", "largest_prize_cents = 1_000", "no_bet")],
)
def test_a_real_cabinet_pays_out_under_its_configuration(tmp_path: Path, table: str, line: str, fault: str) -> None:
    """Real processes: 20.00 in, what stops play, the attendant's key, COLLECT; less than a coin is left."""
    with RealCabinet(tmp_path, seed=1) as cabinet:
        with living(cabinet):
            cabinet.do("note 20")
            until(cabinet.note_is_credited)
        text = cabinet.run.configuration.read_text()
        cabinet.run.configuration.write_text(text.replace(table, f"{table}\n{line}"))
        with living(cabinet):
            if fault == METER_JUMP:
                until(lambda: cabinet.front.lamps["max_bet"])
                cabinet.do("tap spin")
            until(lambda: (fault,) in cabinet.books.rows("SELECT code FROM faults"))
            if fault == METER_JUMP:
                until(lambda: not cabinet.front.lamps["collect"])
                cabinet.do("key attendant on")
                until(lambda: (fault,) not in cabinet.books.rows("SELECT code FROM faults"))
                cabinet.do("key attendant off")
            until(lambda: cabinet.front.lamps["collect"])
            cabinet.do("tap collect")
            until(lambda: cabinet.books.credit_cents < HOPPER_COIN_CENTS or is_paid_by_hand(cabinet))
            if is_paid_by_hand(cabinet):  # the hopper of a busy machine may not answer in time
                cabinet.do("key attendant on")
                until(lambda: cabinet.books.credit_cents < HOPPER_COIN_CENTS)
                cabinet.do("key attendant off")
        assert cabinet.prove().failures == []


def is_paid_by_hand(cabinet: RealCabinet) -> bool:
    """Whether an attendant is to pay."""
    events = (str(data) for (data,) in cabinet.books.rows("SELECT data FROM ledger WHERE kind = 'event'"))
    return any('"code":"payout_begun","kind":"hand_pay"' in event for event in events)


@contextmanager
def living(cabinet: RealCabinet) -> Iterator[None]:
    """Have a supervisor run until the end, in order."""
    process = cabinet.supervisor()
    try:
        until(lambda: cabinet.front.lamps["service"])
        yield
    finally:
        process.terminate()
        process.wait(20.0)
