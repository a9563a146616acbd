"""A ccTalk device's answer to a self-check (request 232; protocols.md, 1).

Events report what happened; a self-check reports the present state. Codes that are not in protocols.md come from the
specification's table 3 as several public libraries list it.
"""

from typing import Final, NamedTuple

from drivers.cctalk.bus import Bus
from drivers.cctalk.protocol import Header
from drivers.errors import NoReplyError

SIZES: Final = range(1, 3)

WORDS: Final = {
    1: "its stored settings are damaged",
    2: "a coil has failed",
    3: "the credit sensor has failed",
    4: "the piezo sensor has failed",
    5: "the reflective sensor has failed",
    6: "the diameter sensor has failed",
    7: "the wake-up sensor has failed",
    8: "a sorter exit's sensor has failed",
    9: "its non-volatile memory has failed",
    10: "it cannot dispense",
    11: "the low-level sensor has failed",
    12: "the high-level sensor has failed",
    13: "it counts coins wrongly",
    14: "a key has failed",
    15: "a button has failed",
    16: "its display has failed",
    17: "its coin audit has failed",
    18: "the reject sensor has failed",
    19: "the return mechanism has failed",
    20: "the sensor against coins on strings has failed",
    21: "the rim sensor has failed",
    22: "the temperature sensor has failed",
    23: "the payout motor has failed",
    24: "its payout took too long",
    25: "its payout is jammed",
    26: "the payout's sensor has failed",
    27: "the level sensor has failed",
    28: "its personality module is missing",
    29: "its personality module is damaged",
    30: "its program memory is damaged",
    31: "a part that belongs to it is missing",
    32: "a part that belongs to it does not answer",
    33: "its supply voltage is wrong",
    34: "its temperature is wrong",
    35: "its dual coin entry has failed",
    36: "the note sensors have failed",
    37: "the transport motor has failed",
    38: "the stacker has failed",
    39: "a note is jammed",
    40: "its memory has failed",
    41: "a string was found",
    42: "the gate has failed and is open",
    43: "the gate has failed and stays shut",
    44: "the cash box is missing",
    45: "the cash box is full",
    46: "its program memory could not be erased",
    47: "its program memory could not be written",
    48: "a device behind it does not answer",
    49: "an optical sensor has failed",
    50: "its battery has failed",
    51: "its door is open",
    52: "a microswitch has failed",
    53: "its clock has failed",
    54: "its program has failed",
    55: "it could not start",
    56: "its supply current is wrong",
    57: "it waits for a new program",
    255: "it has a fault without a name",
}
"""Plain words by fault code; 0 is none."""


class SelfCheck(NamedTuple):
    """A self-check answer: fault code (0 for none) and the number of the part, if there are several."""

    fault: int
    part: int = 0

    def __str__(self) -> str:
        words = WORDS.get(self.fault, f"self-check code {self.fault}")
        return f"{words} (number {self.part})" if self.part else words


async def self_check(bus: Bus, address: int) -> SelfCheck | None:
    """Request a self-check; return None if the device does not support it. Raise what the bus raises.

    A device does not answer an unknown request, so one that answers a simple poll but not this does not support it.
    """
    try:
        answer = await bus.request(address, Header.SELF_CHECK, sizes=SIZES)
    except NoReplyError:
        await bus.request(address, Header.SIMPLE_POLL)
        return None
    return SelfCheck(*answer)
