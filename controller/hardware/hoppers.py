"""Which driver pays: a ccTalk hopper, a SMART Hopper, the recycler of an SSP validator, or the tubes of a changer."""

import os

from controller.configuration.cabinet_toml import Config
from controller.hardware.wires import Lines
from drivers.capabilities import Dispenser, StockListener
from drivers.cctalk.hopper import Hopper
from drivers.clock import Clock
from drivers.mdb.changer import Changer
from drivers.mdb.tubes import ChangerTubes
from drivers.ssp.desk import RecyclerDesk
from drivers.ssp.recycler import Recycler
from drivers.ssp.smart_hopper import SmartHopper


def is_recycler(config: Config) -> bool:
    """Return whether the hopper is its SSP validator's recycler: both are on one port."""
    hopper, bills = config.hopper, config.bill_validator
    if hopper is None or bills is None or hopper.protocol != "ssp":
        return False
    return os.path.normpath(hopper.port) == os.path.normpath(bills.port)


def hopper_of(
    config: Config,
    lines: Lines,
    clock: Clock,
    listener: StockListener,
    *,
    recycler: RecyclerDesk | None,
    changer: Changer,
) -> Dispenser | None:
    """Return the driver of `[hopper]`, None for none.

    `recycler` is where a recycler meets its validator, `changer` where tubes meet their changer's acceptor.
    """
    hopper, currency = config.hopper, config.cabinet.money.tender
    if hopper is None:
        return None
    if hopper.protocol == "cctalk":
        return Hopper(hopper, lines.cctalk(hopper.port), clock, listener, currency=currency)
    if hopper.protocol == "mdb":
        return ChangerTubes(hopper, changer, clock, listener)
    if recycler is not None:
        return Recycler(hopper, recycler, clock, listener, currency=currency)
    return SmartHopper(hopper, lines.ssp(hopper.port), clock, listener, currency=currency)
