"""What the tests of the probe have to know of ESC/POS."""

from typing import Final

STATUS: Final = b"\x10\x04\x01"
HARMLESS: Final = (
    *(bytes((0x10, 0x04, status)) for status in (1, 2, 3, 4)),  # DLE EOT n, real-time status
    bytes.fromhex("1D 49 42"),  # GS I 66, the maker's name
    bytes.fromhex("1D 49 43"),  # GS I 67, the model's name
)
