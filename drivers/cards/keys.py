"""The keys of a keyboard wedge: codes of linux/input-event-codes.h, and the characters that they type.

A wedge is a keyboard of its own and types by position, as if for the US layout. Digits and letters are what is left of
a number: shift changes no digit here, and a wedge that is set to another layout swaps some letters always in the same
way, so that its numbers stay numbers.
"""

from typing import Final

ENTER: Final = frozenset((28, 96))
"""KEY_ENTER and KEY_KPENTER: the number is complete."""
TAB: Final = 15
"""KEY_TAB, with which some wedges end a number."""
ENDS: Final = ENTER | {TAB}

_ROWS: Final = ((2, "1234567890"), (16, "QWERTYUIOP"), (30, "ASDFGHJKL"), (44, "ZXCVBNM"))
_KEYPAD: Final = {82: "0", 79: "1", 80: "2", 81: "3", 75: "4", 76: "5", 77: "6", 71: "7", 72: "8", 73: "9"}
CHARACTERS: Final = {
    **{first + place: letter for first, letters in _ROWS for place, letter in enumerate(letters)},
    **_KEYPAD,
}
"""The character of each key that may be part of a number."""
