"""A QR code on a page of the service menu: dark modules on white, as large as the page has room for."""

import pygame

from ui.layout import Box, centre

QUIET = 4
"""The width of the white border around the code in modules (ISO/IEC 18004, 6.3.8)."""
_DARK, _WHITE = (0, 0, 0), (255, 255, 255)


def paint_code(plate: pygame.Surface, modules: tuple[str, ...], box: Box, scale: float) -> pygame.Rect:
    """Paint the code in the middle of `box`, each module a whole number of pixels; return its rectangle."""
    side = len(modules) + 2 * QUIET
    size = max(1, int(min(box[2], box[3]) * scale) // side)
    whole = pygame.Rect(0, 0, side * size, side * size)
    middle = centre(box)
    whole.center = (round(middle[0] * scale), round(middle[1] * scale))
    plate.fill(_WHITE, whole)
    for down, row in enumerate(modules, start=QUIET):
        for across, module in enumerate(row, start=QUIET):
            if module == "1":
                plate.fill(_DARK, (whole.left + across * size, whole.top + down * size, size, size))
    return whole
