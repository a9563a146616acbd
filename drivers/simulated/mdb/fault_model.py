"""Faults of the MDB devices."""

from typing import Final

from drivers.simulated.mdb import bill_rows, bridge_rows, changer_rows

FAULT_MODEL: Final = {
    "MDB bill validator": bill_rows.ROWS,
    "MDB bridge": bridge_rows.ROWS,
    "MDB coin changer": changer_rows.ROWS,
}
