"""The rules for pins in `cabinet.toml`: each used once, and possible on the chip and the Pi."""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from controller.configuration.fields import Fields, Misfit, Problem, is_port, matching
from controller.configuration.ports import plain
from drivers.errors import SettingsError
from drivers.pin_names import I2C_PINS, OUTPUT_ONLY, expander_pin

PIN_KEYS = (".pin", ".lamp", ".sense", ".interrupt", ".reset", ".enable")

# The keys that every cabinet needs, and why.
_NEEDED = {"pins.keys.attendant.pin": "without an attendant key no hand-pay and no lock-up could be confirmed"}

HEADER_UARTS = ("/dev/serial0", "/dev/ttyAMA0", "/dev/ttyS0")
"""The UART on the header: the first wherever it exists, the second on a Pi 5 and, without Bluetooth, a Pi 4."""
HEADER_UART_PINS = (14, 15)

# The pins that must not be on an expander, which may stop answering, and why.
_HEADER_ONLY = {
    "pins.doors.*.pin": "an expander that stops answering would hide an open door",
    "pins.logic_latch.*": "an expander that stops answering would hide an open door",
    "pins.meters.*.pin": "an expander that stops answering would leave the coil under current",
    "pins.coin.*.pin": "an expander that stops answering would leave the coil under current",
    "pins.pulse.*.pin": "an expander is read too seldom to count pulses",
    "pins.pulse.*.enable": "an expander that stops answering would go on taking money",
}
PULLED_UP = range(9)
"""The pins that a Raspberry Pi holds high from power-up until a program drives them (docs/wiring.md)."""

# The outputs that must carry no current from power-up on, and why.
_OFF_AT_BOOT = {
    "pins.meters.*.pin": "the coil would be under current",
    "pins.coin.lockout.pin": "coins would be let in that nobody counts",
    "pins.coin.diverter.pin": "the coil would be under current",
    "pins.pulse.*.enable": "money would be let in that nobody counts",
    "pins.logic_latch.reset": "an opening of the logic door would be forgotten",
}
_INPUTS = ("pins.buttons.*.pin", "pins.keys.*.pin", "pins.meters.*.sense")


def needed(fields: Fields) -> Iterator[Problem]:
    """Report keys that every cabinet needs and this configuration lacks."""
    for key, reason in _NEEDED.items():
        table = key.rpartition(".")[0]
        if key not in fields and table not in fields:
            yield Problem(table, f"is missing: {reason}; add it")


def _twice(fields: Fields, wanted: Callable[[str], bool], words: str) -> Iterator[Problem]:
    """Report each value used again under a `wanted` key; both keys are named."""
    first: dict[Any, str] = {}
    for key, value in fields.items():
        if wanted(key):
            if value in first:
                yield Problem(key, words.format(value=value, other=first[value]), Misfit.VALUE)
            first.setdefault(value, key)


def _is_pin(key: str) -> bool:
    return key.startswith("pins.") and key.endswith(PIN_KEYS)


def pins(fields: Fields) -> Iterator[Problem]:
    """Report pins that are used twice, or that the UART or the I2C bus of the header needs."""
    yield from _twice(fields, _is_pin, "is pin {value}, which {other} has already; give each its own pin")
    uarts = [key for key, value in fields.items() if is_port(key) and plain(str(value)) in HEADER_UARTS]
    buses = [key for key in fields if key.startswith("pins.expanders.")]
    for key, value in fields.items():
        if uarts and _is_pin(key) and value in HEADER_UART_PINS:
            mend = f"{uarts[0]} ({fields[uarts[0]]}) needs for its line; take another pin or a USB adapter"
            yield Problem(key, f"is pin {value}, which {mend}")
        if buses and _is_pin(key) and value in I2C_PINS:
            yield Problem(key, f"is pin {value}, which the expanders' I2C bus needs; take another pin")


def boot_pins(fields: Fields) -> Iterator[Problem]:
    """Report outputs that would be on while the Pi boots."""
    for pattern, reason in _OFF_AT_BOOT.items():
        for key, pin in matching(fields, pattern):
            if pin in PULLED_UP:
                words = f"is pin {pin}, which the Pi pulls up while it boots: {reason}; take one of 9 to 27"
                yield Problem(key, words, Misfit.VALUE)


def expander_pins(fields: Fields) -> Iterator[Problem]:
    """Report expander pins that do not exist, whose expander is missing, or that must not be on one."""
    there_are = {key.split(".")[2] for key in fields if key.startswith("pins.expanders.")}
    for key, value in fields.items():
        if not _is_pin(key) or not isinstance(value, str):
            continue
        try:
            named = expander_pin(value)
        except SettingsError as error:
            yield Problem(key, str(error))
            continue
        if named is None:
            continue
        if named.expander not in there_are:
            yield Problem(
                key, f"is {value}, and there is no expander {named.expander}; add [pins.expanders.{named.expander}]"
            )
        for pattern, reason in _HEADER_ONLY.items():
            if fnmatchcase(key, pattern):
                yield Problem(key, f"is {value}, but {reason}; give it a pin of the header", Misfit.VALUE)
        if named.bit in OUTPUT_ONLY and any(fnmatchcase(key, pattern) for pattern in _INPUTS):
            yield Problem(key, f"is {value}, which its maker allows as an output only; take A0 to A6 or B0 to B6")


def latch(fields: Fields) -> Iterator[Problem]:
    """Report a logic door's latch without its door, or without the key that clears it."""
    if "pins.logic_latch.pin" not in fields:
        return
    if "pins.doors.logic.pin" not in fields:
        yield Problem("pins.logic_latch", "is the logic door's, which is missing; add pins.doors.logic")
    if "pins.keys.technician.pin" not in fields:
        yield Problem(
            "pins.logic_latch", "locks the cabinet until a technician's key is turned; add pins.keys.technician"
        )
