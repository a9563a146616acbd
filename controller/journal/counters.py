"""What devices have counted by themselves, as one journal knows it: such counters go on whatever becomes of the books.

A journal that takes another's place must know the newest of them. Else coins that were dealt with would be credited or
missed once more, and the hard meters would get pulses again that they were given (M11, M12).
"""

import re
from collections.abc import Collection, Mapping

from controller.journal.key_value import DEVICE_STATE
from controller.journal.periods import lifetime
from controller.journal.transaction import Transaction

_COUNTERS = re.compile(r"((?:coin_acceptor|hopper)\.\d+)(\.\w+)?")
"""The kept states of the device with that serial number: its counter (events of coins, coins given), what they mean."""


def device_counters(tx: Transaction) -> dict[str, str]:
    """Return what each acceptor and hopper that was ever fitted has counted, and for whom, by the kept state's name."""
    return {name: state for name, state in DEVICE_STATE.under(tx).items() if _COUNTERS.fullmatch(name)}


def newest(older: Mapping[str, str], newer: Mapping[str, str]) -> dict[str, str]:
    """Return what both say of devices' counters: all that `newer` says of a device, `older` of those it knows not."""
    known = set(map(_device, newer))
    return {name: state for name, state in older.items() if _device(name) not in known} | dict(newer)


def _device(name: str) -> str:
    found = _COUNTERS.fullmatch(name)
    return name if found is None else found[1]


def occurrences(tx: Transaction, money: Collection[str]) -> dict[str, int]:
    """Return every meter that counts something else than `money` and games: doors, power-ups, faults, test pulses."""
    return {name: value for name, value in lifetime(tx).items() if name not in money}


def raised_to(tx: Transaction, figures: Mapping[str, int]) -> None:
    """Have no meter of these books stand below `figures`: what counts for ever does not fall with a restore (M10)."""
    here = lifetime(tx)
    more = {name: value - here.get(name, 0) for name, value in figures.items() if value > here.get(name, 0)}
    if more:
        tx.post("carried_on", meters=more)


def go_on_from(tx: Transaction, counters: dict[str, str]) -> None:
    """Take over what the devices have counted."""
    named = set(map(_device, counters))
    for name in device_counters(tx):
        if _device(name) in named:
            DEVICE_STATE.remove(tx, name)
    for name, state in counters.items():
        DEVICE_STATE.store(tx, name, state)
