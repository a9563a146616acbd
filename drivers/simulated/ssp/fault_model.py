"""Faults of the SSP devices."""

from typing import Final

from drivers.simulated.ssp import bill_rows, payout_rows

FAULT_MODEL: Final = {
    "SSP bill validator": bill_rows.ROWS,
    "SSP recycler": (*bill_rows.ROWS, *payout_rows.ROWS, *payout_rows.OF_NOTES),
    "SMART Hopper": (*payout_rows.ROWS, *payout_rows.OF_COINS),
}
