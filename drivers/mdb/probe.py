"""Who MDB devices say that they are.

The bridge is asked for its version. One that answers is made bus master, and changer and validator are asked for setup
and identification. They are not polled: the bridge acknowledges their events, which would then be lost.
"""

from contextlib import suppress
from typing import Final

from drivers.errors import IdentityError, NoReplyError
from drivers.mdb import protocol as mdb
from drivers.mdb.bridge import BAUD, Bridge, BridgeTap
from drivers.probe import BILL_VALIDATOR, Device, Probe, ProbedPort

CHANGER: Final = "coin changer"


async def ask(port: ProbedPort) -> tuple[Device, ...]:
    """Return the devices that answer."""
    with port.line(baud=BAUD) as line:
        tap = Bridge(line, port.clock).tap()
        await tap.open()
        if not await tap.bridge.is_there(tap):
            return ()
        found = [
            await _device(tap, CHANGER, mdb.Coin.SETUP, mdb.Coin.EXPANSION),
            await _device(tap, BILL_VALIDATOR, mdb.Bill.SETUP, mdb.Bill.EXPANSION),
        ]
        return tuple(device for device in found if device is not None)


async def _device(tap: BridgeTap, kind: str, setup: int, expansion: int) -> Device | None:
    """Return the device that answers SETUP; a level 2 changer has no serial number and is known by that answer."""
    identify = bytes((expansion, mdb.Expansion.IDENTIFICATION))
    with suppress(NoReplyError, IdentityError, ValueError):
        answer = await tap.bridge.ask(tap, bytes((setup,)))
        if not answer:
            return None
        name, serial = f"bridge {tap.bridge.version}", None
        with suppress(ValueError):
            who = mdb.identification(await tap.bridge.ask(tap, identify) or b"")
            name, serial = f"{who.maker} {who.model}", who.number
        with suppress(ValueError):
            if kind == CHANGER and (found := mdb.coin_setup(answer)).level < mdb.LEVEL_3:
                serial = found.number
        return Device(protocol="mdb", kind=kind, name=name, serial=serial, baud=BAUD)
    return None


PROBE: Final = Probe(order=6, ask=ask)
