"""Reject reasons of an SSP validator: its answers to "last reject code" (17; protocols.md §2.2).

The manual's example frames show code 08; several public implementations agree on the other codes. No code moves money,
and an unknown code is reported by its number.
"""

from typing import Final

from drivers.note_alarms import Back

NOT_RECOGNISED: Final = "it was not recognised"

REJECT_REASONS: Final = {
    0x00: "it gives no reason",
    0x01: "its length was wrong",
    **dict.fromkeys((0x02, 0x03, 0x04, 0x05), NOT_RECOGNISED),
    0x06: "such notes are not taken now",
    0x07: "another note came too soon",
    0x08: "the cabinet sent it back",
    0x09: "it fits more than one kind of note",
    0x0A: NOT_RECOGNISED,
    0x0B: "it was too long",
    0x0C: "the validator took no notes",
    0x0D: "it was not carried evenly, or held fast",
    0x0E: "it was drawn back, or hung on a string",
    0x0F: "it is a known forgery",
    0x10: "no note was inserted",
    0x11: NOT_RECOGNISED,
    0x12: "it lay askew",
    0x13: "nobody decided about it in time",
    0x14: "its barcode was not read",
    **dict.fromkeys((0x15, 0x16, 0x17), "it was not seen where it had to pass"),
    0x18: "the sensors saw too little light",
    0x19: "its width was wrong",
    0x1A: "it was too short",
    0x1B: "the validator was paying a note out",
    0x1C: "it could not be stacked",
}
"""Plain words by code."""

_REFUSED: Final = frozenset({0x06, 0x08, 0x0C, 0x13, 0x1B})
_PULLED: Final = frozenset({0x0E})


OF_ESCROW: Final = frozenset({0x08, 0x0D, 0x0E, 0x13, 0x1C})
"""Reasons for returning a note from escrow; with all others the note is rejected before the device reports it."""


def last_reject(code: int | None) -> tuple[Back, str]:
    """Return how the note came back and why in words; `code` is None if the device does not report it."""
    if code is None:
        return Back.REJECTED, "the validator rejected it and does not say why"
    how = Back.REFUSED if code in _REFUSED else Back.PULLED if code in _PULLED else Back.REJECTED
    return how, f"the validator rejected it: {REJECT_REASONS.get(code, f'code {code:02X}')}"
