"""Error codes in a coin acceptor's event buffer: their meaning and how they are handled.

The codes are table 2 of protocols.md, 1; requirements.md, B13, D4 and D5 say which of them raise a fault.
"""

from enum import Enum
from typing import Final, NamedTuple


class CodeClass(Enum):
    """How an error code is handled."""

    IGNORED = "ignored"
    """It reports only that coins are inhibited, or nothing: not logged."""
    LOGGED = "logged"
    """An inappropriate coin (D4): it fell into the return, and the event log says why."""
    TILT = "tilt"
    """A jam or an attempt to cheat (D5): logged, and mostly a fault that a person must see."""


class CoinError(NamedTuple):
    """One error code: its plain words, its class and the fault that it raises, if any."""

    text: str
    kind: CodeClass
    fault: str = ""


def _ignored(text: str) -> CoinError:
    return CoinError(text, CodeClass.IGNORED)


def _logged(text: str, fault: str = "") -> CoinError:
    return CoinError(text, CodeClass.LOGGED, fault)


def _tilt(text: str, fault: str) -> CoinError:
    return CoinError(text, CodeClass.TILT, fault)


FIRST_INHIBITED: Final = 128
"""The error code of an inhibited coin of type 1; type 32's is 159."""
_INHIBITED: Final = range(FIRST_INHIBITED, 160)
_RESERVED: Final = range(160, 192)

ERRORS: Final[dict[int, CoinError]] = {
    0: _ignored("nothing happened"),
    1: _logged("a coin was not recognised"),
    2: _ignored("a coin that is not taken now"),
    3: _logged("a coin that fits more than one coin's window"),
    4: _logged("the wake-up sensor saw no coin in time"),
    5: _logged("the measuring of a coin took too long"),
    6: _logged("a coin did not reach the credit sensor in time"),
    7: _logged("a coin did not reach the sorter in time"),
    8: _logged("a second coin too close behind the first"),
    9: _logged("the accept gate was not ready for a coin"),
    10: _logged("the credit sensor was not ready for a coin"),
    11: _logged("the sorter was not ready for a coin"),
    12: _logged("a rejected coin had not left when the next one came"),
    13: _logged("the measuring sensor was not ready for a coin"),
    14: _tilt("the credit sensor is blocked", "coin_jam"),
    15: _logged("the sorter's sensor is blocked"),
    16: _tilt("the credit sensors were passed in the wrong order", "coin_alarm"),
    17: _tilt("a coin went backwards", "coin_reverse"),
    18: _logged("a coin passed the credit sensor too fast"),
    19: _logged("a coin passed the credit sensor too slowly"),
    20: _tilt("a coin on a string", "coin_string"),
    21: _logged("the dual coin entry did not answer in time"),
    22: _logged("the dual coin entry did not see the coin"),
    23: _tilt("a coin reached the credit sensor too early", "coin_alarm"),
    24: _logged("a coin was rejected by the same sensor again and again"),
    25: _logged("a slug", "coin_slug"),
    26: _logged("the reject sensor is blocked"),
    27: _logged("more games were bought than can be credited"),
    28: _logged("more meter pulses are owed than can be given"),
    29: _logged("the accept gate is open and should be closed"),
    30: _logged("the accept gate is closed and should be open"),
    31: _logged("a coin did not reach the manifold in time"),
    32: _logged("the manifold's sensor is blocked"),
    33: _logged("the manifold was not ready for a coin"),
    34: _logged("the security setting was changed"),
    35: _logged("the motor failed"),
    36: _tilt("a coin was swallowed without credit", "coin_alarm"),
    37: _logged("a coin was measured too fast"),
    38: _logged("a coin was measured too slowly"),
    39: _tilt("a coin was sorted wrongly", "coin_alarm"),
    40: _tilt("light from outside reached the sensors", "coin_alarm"),
    **{code: _ignored(f"a coin of type {code - FIRST_INHIBITED + 1} that is not taken now") for code in _INHIBITED},
    **{code: _logged(f"an error that the acceptor's own manual explains (code {code})") for code in _RESERVED},
    253: _ignored("the device asks for a data block"),
    254: _logged("the coin return was pressed"),
    255: _logged("an alarm without a reason"),
}

# Codes after which the device may be inhibited unexpectedly: they mean that a wanted coin was refused.
_SHOWS_INHIBITION: Final = frozenset({0, 2, *_INHIBITED})


def explain(code: int) -> CoinError:
    """Return what error `code` means; an unknown code is logged with its number."""
    return ERRORS.get(code) or _logged(f"an error without a name (code {code})")


def shows_inhibition(code: int) -> bool:
    """Return whether error `code` says that the device refused an inhibited coin, or was just reset."""
    return code in _SHOWS_INHIBITION
