"""Counters that the devices keep themselves, and that continue when the books are replaced.

A journal that replaces another must take over the newest of them. Otherwise coins that are already booked would be
credited again or missed, and the hard meters would get the same pulses twice (M11, M12).
"""

import re
from collections.abc import Collection, Mapping

from controller.journal.key_value import DEVICE_STATE
from controller.journal.periods import lifetime
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

_COUNTERS = re.compile(r"((?:coin_acceptor|hopper)\.\d+|payout_store|pulse_(?:coin|note))(\.\w+)?")
"""Names in `device_state` that belong to a device: the counter of a serial number, and related values with a suffix.

`payout_store` is the content of the device that stores money (`controller.journal.stored_money`). `pulse_coin` and
`pulse_note` are the state of pulse acceptors (`controller.journal.pulses`).
"""


def device_counters(tx: Reader) -> dict[str, str]:
    """Return the stored counters of all devices that were ever fitted, by name in `device_state`."""
    return {name: state for name, state in DEVICE_STATE.under(tx).items() if _COUNTERS.fullmatch(name)}


def newest(older: Mapping[str, str], newer: Mapping[str, str]) -> dict[str, str]:
    """Merge both sets of counters: those of `newer`, and those of `older` for devices that `newer` lacks."""
    known = set(map(_device, newer))
    return {name: state for name, state in older.items() if _device(name) not in known} | dict(newer)


def _device(name: str) -> str:
    found = _COUNTERS.fullmatch(name)
    return name if found is None else found[1]


def occurrences(tx: Transaction, money: Collection[str]) -> dict[str, int]:
    """Return every meter whose name is not in `money`: doors, power-ups, faults and test pulses."""
    return {name: value for name, value in lifetime(tx).items() if name not in money}


def raised_to(tx: Transaction, figures: Mapping[str, int]) -> None:
    """Raise the meters that are below `figures`: a restore must not lower a lifetime count (M10)."""
    here = lifetime(tx)
    more = {name: value - here.get(name, 0) for name, value in figures.items() if value > here.get(name, 0)}
    if more:
        tx.post("carried_on", meters=more)


def go_on_from(tx: Transaction, counters: dict[str, str]) -> None:
    """Replace the stored counters by `counters`, for the devices that these name."""
    named = set(map(_device, counters))
    for name in device_counters(tx):
        if _device(name) in named:
            DEVICE_STATE.remove(tx, name)
    for name, state in counters.items():
        DEVICE_STATE.store(tx, name, state)
