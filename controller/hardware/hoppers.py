"""Selects the driver that pays: a ccTalk hopper, a SMART Hopper, an SSP recycler, or the tubes of a changer."""

import os
from typing import TYPE_CHECKING

from controller.configuration.cabinet_toml import Config
from controller.hardware.wires import Lines
from drivers.capabilities import Dispenser, StockListener
from drivers.clock import Clock

if TYPE_CHECKING:
    from drivers.mdb.changer import Changer
    from drivers.ssp.desk import RecyclerDesk


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
    recycler: "RecyclerDesk | None",
    changer: "Changer | None",
) -> Dispenser | None:
    """Return the driver of `[hopper]`, or None; only this driver is imported.

    `recycler` connects a recycler with its validator, `changer` connects tubes with their changer's acceptor; it is
    None without tubes.
    """
    hopper, currency = config.hopper, config.cabinet.money.tender
    if hopper is None:
        return None
    if hopper.protocol == "cctalk":
        from drivers.cctalk.hopper import Hopper  # noqa: PLC0415 - only what is configured

        return Hopper(hopper, lines.cctalk(hopper.port), clock, listener, currency=currency)
    if changer is not None:
        from drivers.mdb.tubes import ChangerTubes  # noqa: PLC0415 - as above

        return ChangerTubes(hopper, changer, clock, listener)
    if recycler is not None:
        from drivers.ssp.recycler import Recycler  # noqa: PLC0415 - as above

        return Recycler(hopper, recycler, clock, listener, currency=currency)
    from drivers.ssp.smart_hopper import SmartHopper  # noqa: PLC0415 - as above

    return SmartHopper(hopper, lines.ssp(hopper.port), clock, listener, currency=currency)
