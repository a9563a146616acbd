"""Faults of the ccTalk devices."""

from typing import Final

from drivers.simulated.cctalk import bill_rows, coin_rows, hopper_rows

FAULT_MODEL: Final = {
    "ccTalk bill validator": bill_rows.ROWS,
    "ccTalk coin acceptor": coin_rows.ROWS,
    "ccTalk hopper": hopper_rows.ROWS,
}
