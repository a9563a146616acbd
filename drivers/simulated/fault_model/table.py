"""The fault model: the possible faults of each simulated device, by the `kind` of the device.

Look up a device's rows here and trigger one by its name: a row of `How.NEXT` with `device.mishaps.next(name)` or, at
random, `device.mishaps.rate(name, probability)`; any row that can be triggered with `device.troubles()[name](1)`; `(0)`
ends a lasting one.
"""

from collections.abc import Mapping
from typing import Final

from drivers.simulated.fault_model import (
    card_readers,
    cctalk_bills,
    cctalk_coins,
    cctalk_hoppers,
    ebds_bills,
    id003_bills,
    lines,
    mdb_bills,
    mdb_changers,
    printers,
    pulses,
    ssp_bills,
    ssp_payouts,
)
from drivers.simulated.fault_model.rows import Row

FAULT_MODEL: Final[Mapping[str, tuple[Row, ...]]] = {
    "ccTalk bill validator": cctalk_bills.ROWS,
    "ID-003 bill validator": id003_bills.ROWS,
    "EBDS bill validator": ebds_bills.ROWS,
    "MDB bill validator": mdb_bills.ROWS,
    "SSP bill validator": ssp_bills.ROWS,
    "SSP recycler": (*ssp_bills.ROWS, *ssp_payouts.ROWS, *ssp_payouts.OF_NOTES),
    "SMART Hopper": (*ssp_payouts.ROWS, *ssp_payouts.OF_COINS),
    "ccTalk coin acceptor": cctalk_coins.ROWS,
    "ccTalk hopper": cctalk_hoppers.ROWS,
    "MDB coin changer": mdb_changers.ROWS,
    "MDB bridge": lines.BRIDGE,
    "pulse acceptor": pulses.ROWS,
    "coin chutes": lines.CHUTES,
    "ESC/POS printer": printers.ROWS,
    "card reader": card_readers.ROWS,
    "serial line": lines.LINE,
}
"""The rows of each kind of device. The faults of a serial line apply to every device on one."""
