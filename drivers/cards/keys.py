"""Keys of a keyboard wedge: codes of linux/input-event-codes.h, and their characters.

A wedge is a separate keyboard that types by key position, as for the US layout. Letters are the same with and without
shift. A digit with shift is a sign; if all digits come with shift, the reader is set to another layout (French,
Belgian, Czech), and its output is not accepted as a number: two cards could produce the same signs. Signs before and
after a number are dropped (a magnetic stripe's sentinels); signs between its parts become a hyphen, so that 12:345
differs from 1:2345.
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
SIGN: Final = "-"
"""Replaces every sign between two parts of a number."""
SIGNS: Final = frozenset((12, 13, 26, 27, 39, 40, 41, 43, 51, 52, 53, 55, 57, 74, 78, 83, 86, 98))
"""The keys of punctuation, space and the keypad's operators."""
PERCENT, CARET = "5", "6"
"""Digits that with shift are signs of a magnetic stripe's first track: its start sentinel and its field separator."""
MOST_CARETS: Final = 2
SHIFTS: Final = frozenset((42, 54))
"""KEY_LEFTSHIFT and KEY_RIGHTSHIFT."""
LOCKS: Final = frozenset((58, 69, 70))
"""KEY_CAPSLOCK, KEY_NUMLOCK and KEY_SCROLLLOCK, which some wedges press around a number."""
CHORDS: Final = frozenset((29, 97, 56, 100, 125, 126))
"""Control, Alt and Meta on either side: keys typed with one of them held are not valid input."""
