"""The keys of a keyboard wedge: codes of linux/input-event-codes.h, and the characters that they type.

A wedge is a keyboard of its own that types by position, as if for the US layout. Letters count the same with shift and
without. A digit with shift is a sign there; where all digits come so, the reader types for another layout (French,
Belgian, Czech), and what it types is no number: the signs of two cards could be the same. Signs before and after a
number are left out (a magnetic stripe's sentinels); between its parts they are kept as a hyphen, so that 12:345 is not
1:2345.
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
"""What every sign between two parts of a number becomes."""
SIGNS: Final = frozenset((12, 13, 26, 27, 39, 40, 41, 43, 51, 52, 53, 55, 57, 74, 78, 83, 86, 98))
"""The keys of punctuation, of the space and of the number block's operators."""
PERCENT, CARET = "5", "6"
"""The digits that with shift are the signs of a magnetic stripe's first track: its start, and what parts its fields."""
MOST_CARETS: Final = 2
SHIFTS: Final = frozenset((42, 54))
"""KEY_LEFTSHIFT and KEY_RIGHTSHIFT."""
LOCKS: Final = frozenset((58, 69, 70))
"""KEY_CAPSLOCK, KEY_NUMLOCK and KEY_SCROLLLOCK, which some wedges press around a number."""
CHORDS: Final = frozenset((29, 97, 56, 100, 125, 126))
"""Control, Alt and Meta on either side: what is typed with one of them held is not what the keys say."""
