"""What a ccTalk device says of itself when asked to check itself (request 232; protocols.md, 1).

Codes beyond the ones that protocols.md lists are the specification's table 3 as several public libraries have it.
"""

from typing import Final

SIZES: Final = range(1, 3)
"""The answer is the fault's code and, for some faults, which of several parts it is in."""

FAULTS: Final[dict[int, str]] = {
    1: "the stored settings are damaged (EEPROM checksum)",
    2: "a measuring coil failed",
    3: "the credit sensor failed",
    4: "the piezo sensor failed",
    5: "the reflective sensor failed",
    6: "the diameter sensor failed",
    7: "the wake-up sensor failed",
    8: "a sensor at the sorter's exit failed",
    9: "the battery-backed memory is damaged (checksum)",
    10: "coins were dispensed wrongly",
    11: "the low-level sensor failed",
    12: "the high-level sensor failed",
    13: "coins were counted wrongly",
    14: "the keypad failed",
    15: "a button failed",
    16: "the display failed",
    17: "the coin audit failed",
    18: "the reject sensor failed",
    19: "the coin return mechanism failed",
    20: "the coin-on-string mechanism failed",
    21: "the rim sensor failed",
    22: "the temperature sensor failed",
    23: "the payout motor failed",
    24: "a payout took too long",
    25: "a payout jammed",
    26: "the payout sensor failed",
    27: "the level sensor failed",
    28: "the personality module is missing",
    29: "the personality module is damaged (checksum)",
    30: "the program memory is damaged (ROM checksum)",
    31: "a part behind the device is missing",
    32: "a part behind the device does not communicate",
    33: "the supply voltage is outside its limits",
    34: "the temperature is outside its limits",
    35: "the dual coin entry failed",
    36: "a note measuring sensor failed",
    37: "the note transport motor failed",
    38: "the stacker failed",
    39: "a note is jammed",
    40: "the working memory failed its test (RAM)",
    41: "the string sensor failed",
    42: "the accept gate is stuck open",
    43: "the accept gate is stuck closed",
    44: "the stacker is missing",
    45: "the stacker is full",
    46: "the program memory could not be erased",
    47: "the program memory could not be written",
    48: "a part behind the device does not answer",
    49: "an optical sensor failed",
    50: "the battery failed",
    51: "a door is open",
    52: "a microswitch failed",
    53: "the clock failed",
    54: "the device's program failed",
    55: "the device could not start",
    56: "the supply current is outside its limits",
    57: "the device waits for a new program",
    255: "a fault without a name",
}

_PARTS: Final[dict[int, str]] = {
    2: "coil",
    8: "sensor",
    **dict.fromkeys((11, 12, 24, 25, 26, 27), "hopper"),
    14: "key",
    23: "hopper",
    31: "address",
    32: "address",
    36: "sensor",
    48: "device",
    49: "sensor",
}


def in_words(answer: bytes) -> str:
    """Return what the answer to request 232 says in plain words; empty where all is well.

    The words end with the code, which is what the device's manual speaks of.
    """
    code, *more = answer
    if not code:
        return ""
    part = f", {_PARTS[code]} {more[0]}" if more and code in _PARTS else ""
    return f"{FAULTS.get(code, 'a fault that only the manual explains')}{part} (code {code})"
