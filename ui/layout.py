"""Where things stand on the canvas of 1280x720 units; a box is left, top, width, height."""

Box = tuple[float, float, float, float]

CANVAS = (1280, 720)
CENTRE = (640, 360)

REELS: Box = (240, 105, 800, 450)
CELL = (160, 150)
WIN_MARGIN = 12
"""How far a winning symbol's animation reaches over its cell on every side."""

HUD: Box = (0, 600, 1280, 120)
LOGO: Box = (360, 0, 560, 110)
HEADLINE: Box = (350, 4, 580, 94)
"""The free-spin counter, where the logo is in the base game."""

MESSAGE: Box = (290, 560, 700, 37)

CREDIT: Box = (16, 628, 216, 84)
BET: Box = (240, 628, 216, 84)
WIN: Box = (464, 624, 300, 92)

LEFT_COLUMN = 12
RIGHT_COLUMN = 1148

BUTTONS: dict[str, Box] = {
    "coin_value": (772, 630, 120, 76),
    "lines": (894, 630, 120, 76),
    "bet": (1016, 630, 120, 76),
    "spin": (1142, 584, 132, 132),
    "max_bet": (RIGHT_COLUMN, 300, 120, 76),
    "auto": (RIGHT_COLUMN, 388, 120, 76),
    "collect": (RIGHT_COLUMN, 476, 120, 76),
    "home": (40, 238, 64, 64),
    "info": (40, 318, 64, 64),
    "sound": (40, 398, 64, 64),
    "service": (40, 478, 64, 64),
}
"""The touch controls of a game's screen."""

CHEST = (200, 180)
CHESTS: tuple[tuple[float, float], ...] = (
    (150, 168),
    (410, 150),
    (670, 150),
    (930, 168),
    (150, 372),
    (410, 362),
    (670, 362),
    (930, 372),
)
"""Upper left corners of the chests in the treasure scene, by their number in the offer."""

TILE = (320, 240)
PAGE: Box = (80, 60, 1120, 600)
DIALOG: Box = (280, 130, 720, 440)


def inside(box: Box, x: float, y: float, slack: float = 6) -> bool:
    """Whether a finger at (x, y) means `box`; fingers are blunt, so `slack` units around it count."""
    left, top, width, height = box
    return left - slack <= x < left + width + slack and top - slack <= y < top + height + slack


def centre(box: Box) -> tuple[float, float]:
    """Return the middle of `box`."""
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def tiles(count: int) -> list[Box]:
    """Return the boxes of the lobby's `count` tiles, centred, at most three in a row."""
    rows = [min(3, count - first) for first in range(0, count, 3)]
    boxes: list[Box] = []
    top = 330 if len(rows) == 1 else 84
    for row, held in enumerate(rows):
        left = CENTRE[0] - (held * TILE[0] + (held - 1) * 40) / 2
        boxes += [(left + place * (TILE[0] + 40), top + row * (TILE[1] + 28), *TILE) for place in range(held)]
    return boxes
