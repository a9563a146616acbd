"""What the tests of the probe have to know of MDB."""

from typing import Final

HARMLESS: Final = tuple(line + b"\n" for line in (b"V", b"\nV", b"M,1", b"R,09", b"R,0F,00", b"R,31", b"R,37,00"))
"""The bridge's version; then its master mode, set-up and identification of a changer and a validator."""
