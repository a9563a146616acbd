"""Whatever a configuration says that check-config accepts: the supervisor starts, and the credit can be taken out."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import Phase, example, given, settings

from controller.faults import Stops, explain
from controller.session.betting import residue_cents
from controller.settings.settings import Value
from tests.rigs.any_configuration import accepted, changes
from tests.rigs.virtual_cabinet import VirtualCabinet, configuration
from tests.rigs.virtual_time import run_virtual

NOTE_CENTS = 2_000
GAMES = ("neptune", "bewitched", "witch_feature", "mystery_elves", "mona_lisa_jewels", "star_quarry")


async def lived_through(folder: Path, drawn: dict[str, Value | None]) -> None:
    """Put 20.00 in, start with the other configuration, play where it can be played, and take all credit out."""
    cabinet = VirtualCabinet(folder, games=GAMES)
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


async def played(cabinet: VirtualCabinet) -> None:
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


async def taken_out(cabinet: VirtualCabinet) -> None:
    """COLLECT, and the attendant's key where an attendant pays, until nothing is left but what can be played."""
    assert cabinet.supervisor is not None
    machine = cabinet.supervisor.machine
    for _ in range(120):
        if machine.conditions.overlay == "large_win" or machine.states.state == "handpay":
            await cabinet.turn_key("attendant")
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


@given(changes(configuration(Path("anywhere"))))
@example({"games.enabled": ["neptune"], "games.default": "neptune", "games.largest_prize_cents": 1_000})
@example({"games.enabled": ["mystery_elves"], "games.default": "mystery_elves", "games.largest_stake_cents": 5})
@example({"games.largest_prize_cents": 1})
@settings(max_examples=15, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_any_accepted_configuration_starts_and_pays_out(drawn: dict[str, Value | None]) -> None:
    """It is playable, or stops in words; COLLECT is alive either way, and every cent is proved."""
    with tempfile.TemporaryDirectory() as folder:
        run_virtual(lived_through(Path(folder), drawn))
