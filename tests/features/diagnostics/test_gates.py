"""T.11: lockout and diverter by hand, the acceptor's own commands kept for afterwards, and no coin let through."""

from pathlib import Path

from msgspec.structs import replace

from controller.features.diagnostics.gates import CANNOT_MOVE
from drivers.wiring import Output
from tests.rigs.technician import technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet

LOCKOUT, DIVERTER = 26, 27


def gated(folder: Path) -> VirtualCabinet:
    """A cabinet with lockout and diverter in place of two hard meters, whose acceptor takes the hopper's coin alone."""
    cabinet = VirtualCabinet(folder)
    pins = cabinet.config.pins
    meters = {name: meter for name, meter in pins.meters.items() if meter.pin not in (LOCKOUT, DIVERTER)}
    gates = {"lockout": Output(pin=LOCKOUT, wire="red"), "diverter": Output(pin=DIVERTER)}
    assert cabinet.config.coin_acceptor is not None
    acceptor = replace(cabinet.config.coin_acceptor, coins_cents=(100,))
    cabinet.config = replace(cabinet.config, pins=replace(pins, meters=meters, coin=gates), coin_acceptor=acceptor)
    return cabinet


async def test_the_gates_move_by_hand_and_are_given_back(tmp_path: Path) -> None:
    """Each moves alone; coins stay refused; afterwards both are as the acceptor wants them, the books unmoved."""
    cabinet = gated(tmp_path)
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.pause(10.0)
        assert (technician.driven(LOCKOUT), technician.driven(DIVERTER)) == (True, True)
        await technician.open()
        await technician.pause(2.0)
        before = (technician.driven(LOCKOUT), technician.driven(DIVERTER))
        assert before == (False, True)
        ways = await technician.machine.journal.do(
            lambda tx: tx.execute("SELECT * FROM device_state WHERE device NOT LIKE 'coin_acceptor.%'").fetchall()
        )
        await technician.go("T.11")
        assert technician.said()[:2] == ["Coin lockout: turns coins away", "Coin diverter: to the cash box"]
        assert technician.row("Coin lockout").detail == "GPIO 26  ·  red"
        await technician.enter("Coin lockout")
        await technician.pause(10.0)
        assert (technician.driven(LOCKOUT), technician.driven(DIVERTER)) == (True, False)
        assert technician.row("Coin lockout").value == "lets coins in"
        assert cabinet.coins.inhibited
        cabinet.coins.insert(100)
        await technician.pause(2.0)
        assert (cabinet.credit, cabinet.returned_cents) == (2000, 100)
        await technician.enter("Coin lockout")
        await technician.enter("Coin diverter")
        assert (technician.driven(LOCKOUT), technician.driven(DIVERTER)) == (False, True)
        await technician.enter("Coin diverter")
        await technician.touch("service:back")
        assert (technician.driven(LOCKOUT), technician.driven(DIVERTER)) == before
        await technician.pause(5.0)
        assert (
            await technician.machine.journal.do(
                lambda tx: tx.execute("SELECT * FROM device_state WHERE device NOT LIKE 'coin_acceptor.%'").fetchall()
            )
            == ways
        )
        await technician.close()
        await cabinet.until(lambda: technician.driven(LOCKOUT))
        assert (await technician.events())[1:3] == ["T.11: lockout energised", "T.11: lockout at rest"]


async def test_a_power_cut_takes_the_current_off(tmp_path: Path) -> None:
    """A gate that a test has energised falls with the supervisor, and the start lets coins in as ever."""
    cabinet = gated(tmp_path)
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.open()
        await technician.go("T.11")
        await technician.enter("Coin lockout")
        await cabinet.kill()
        assert not technician.driven(LOCKOUT)
        technician.turn(on=False)
        cabinet.door("main", is_open=False)
        await cabinet.start()
        await cabinet.until(lambda: technician.driven(LOCKOUT))
        assert technician.machine.conditions.overlay is None


async def test_gates_that_are_not_fitted_say_so(tmp_path: Path) -> None:
    """No device, no row to enter."""
    async with technician_at(tmp_path) as technician:
        await technician.open()
        await technician.go("T.11")
        assert technician.said() == ["Coin lockout: not fitted", "Coin diverter: not fitted"]


async def test_a_gate_that_fails_is_reported(tmp_path: Path) -> None:
    """A burnt-out pin is a fault on the page; while its driver is down nothing is said to have moved."""
    cabinet = gated(tmp_path)
    async with technician_at(tmp_path, cabinet) as technician:
        await technician.open()
        await technician.go("T.11")
        cabinet.broken.add(LOCKOUT)
        await technician.enter("Coin lockout")
        await technician.pause(0.3)
        assert technician.row("coin lockout and diverter").label == "The {place} is unplugged"
        technician.hardware.coin_gates.stop()
        await technician.enter("Coin diverter")
        assert technician.page.message == CANNOT_MOVE
        assert technician.row("Coin diverter").value == "to the cash box"
        cabinet.broken.clear()
        await cabinet.until(lambda: technician.row("coin lockout and diverter").value == "ready")
        await technician.enter("Coin lockout")
        assert technician.driven(LOCKOUT)
