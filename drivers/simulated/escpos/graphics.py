"""Images from the bytes of GS v 0, ESC * and GS ( L."""

from typing import Final

from PIL import Image

from drivers.simulated.escpos.command_set import DOTS_8, word

_SCALES: Final = {0: (1, 1), 48: (1, 1), 1: (2, 1), 49: (2, 1), 2: (1, 2), 50: (1, 2), 3: (2, 2), 51: (2, 2)}
_STORE, _PRINT = (b"\x30\x70", (b"\x30\x02", b"\x30\x32"))
_STORE_HEAD: Final = 10
"""m fn a bx by c xL xH yL yH."""


def _scaled(image: Image.Image, wide: int, high: int) -> Image.Image:
    return image.resize((image.width * wide, image.height * high), Image.Resampling.NEAREST)


def raster_image(data: bytes) -> Image.Image | None:
    """Return the image of GS v 0's parameters `0 m xL xH yL yH d...`, None if they are invalid."""
    wide, rows = word(data[2:4]), word(data[4:6])
    if data[0] != ord("0") or data[1] not in _SCALES or not wide or len(data) != 6 + wide * rows:
        return None
    return _scaled(Image.frombytes("1", (wide * 8, rows), data[6:]), *_SCALES[data[1]])


def column_image(data: bytes) -> Image.Image:
    """Return the image of ESC *'s parameters `m nL nH d...`: columns from left to right, the top dot first."""
    in_8_dots = data[0] in DOTS_8
    high = 8 if in_8_dots else 24
    # its columns are the rows of a rotated image
    lying = Image.frombytes("1", (high, word(data[1:3])), data[3:])
    standing = lying.transpose(Image.Transpose.TRANSPOSE)
    single_density = data[0] in (DOTS_8[0], 32)
    return _scaled(standing, 2 if single_density else 1, 3 if in_8_dots else 1)


class Graphics:
    """The print buffer of GS ( L and GS 8 L: store an image, then print it."""

    def __init__(self) -> None:
        self._stored: Image.Image | None = None

    def do(self, data: bytes) -> Image.Image | str | None:
        """Carry out `m fn ...`; return the image to print, or the reason for doing nothing."""
        if data[:2] in _PRINT and len(data) == 2:  # noqa: PLR2004 - m fn
            image, self._stored = self._stored, None
            return image
        if data[:2] != _STORE or len(data) < _STORE_HEAD:
            return "not simulated"
        _tone, across, down, _colour = data[2:6]
        width, rows = word(data[6:8]), word(data[8:10])
        row_bytes = (width + 7) // 8
        if across not in (1, 2) or down not in (1, 2) or not row_bytes or not rows:
            return "no such graphics"
        if len(data) != _STORE_HEAD + row_bytes * rows:
            return "graphics of another size than said"
        self._stored = _scaled(Image.frombytes("1", (width, rows), data[_STORE_HEAD:]), across, down)
        return None
