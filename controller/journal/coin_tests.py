"""Coins that a service test took: they move the acceptor's event counter, and no credit and no meter (M12)."""

import re
from collections import Counter

from controller.journal import hopper_tests
from controller.journal.key_value import device_state, device_states, forget_device_state, keep_device_state
from controller.journal.money import keep_coin_counter
from controller.journal.transaction import Transaction
from drivers.capabilities import CoinReport

TESTED = "coin_tested"
"""The code of the event that tells of coins a test took."""
_KEY = re.compile(r"coin_acceptor\.\d+\.test")


def coin_diagnostic(tx: Transaction, serial: int) -> str:
    """Return the test that the newest coins of that acceptor are taken for, empty where they are credited."""
    return device_state(tx, _key(serial)) or ""


def set_coin_diagnostic(tx: Transaction, serial: int, test: str) -> None:
    """From now on coins of that acceptor are taken for `test`, or credited where it is empty."""
    if test:
        keep_device_state(tx, _key(serial), test)
    else:
        forget_device_state(tx, _key(serial))


def forget_tests(tx: Transaction) -> None:
    """Have no acceptor's coins be a test's."""
    for device in device_states(tx):
        if _KEY.fullmatch(device):
            forget_device_state(tx, device)


def coins_tested(tx: Transaction, report: CoinReport, test: str, boot: str = "") -> None:
    """Record a test's coins with the event counter that they came with; those of a hopper's test go back to it.

    `boot` names this start of the computer.
    """
    keep_coin_counter(tx, report.serial, report.counter, report.events, boot)
    if not report.values_cents and not report.lost:
        return
    counted = Counter(report.values_cents)
    words = [f"{count} x {value // 100}.{value % 100:02}" for value, count in sorted(counted.items())]
    words += [f"{report.lost} event(s) not read in time"] if report.lost else []
    data = {
        "serial": report.serial,
        "counter": report.counter,
        "values": list(report.values_cents),
        "ways": [way.value for way in report.ways],
    }
    tx.event(TESTED, f"{test}: {', '.join(words)}; not credited", place="coin acceptor", data=data)
    if test == hopper_tests.CODE:
        hopper_tests.coins_came(tx, report.values_cents, report.ways)


def _key(serial: int) -> str:
    return f"coin_acceptor.{serial}.test"
