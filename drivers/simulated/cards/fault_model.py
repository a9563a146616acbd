"""Faults of a keyboard wedge reader for staff cards."""

from typing import Final

from drivers.simulated.fault_model.rows import How, Row

ROWS: Final = (
    Row(
        name="half",
        how=How.LASTS,
        event="Cards are drawn away too early: half a number, and no Enter.",
        money="None.",
        source="HID keyboards report key by key",
        test="test_wedge_mishaps.py::test_half_a_number_has_no_end",
    ),
    Row(
        name="azerty",
        how=How.LASTS,
        event="The reader is set to a French keyboard: digits are typed with SHIFT.",
        money="None.",
        source="USB HID Usage Tables 1.12, section 10: usages are places, not characters",
        test="test_wedge_mishaps.py::test_a_french_keyboard_types_digits_with_shift",
    ),
)

FAULT_MODEL: Final = {"card reader": ROWS}
