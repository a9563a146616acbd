"""What the panel's buttons are in the service menu, and how they move its cursor."""

from collections.abc import Mapping, Sequence

from controller.service.page import Line

KEYS = {"lines": "up", "bet": "down", "spin": "enter", "collect": "back"}
"""What the panel's buttons are in the menu."""
SIX_KEYS = KEYS | {"info": "first", "max_bet": "last"}
"""What two more of them are where a game's screen lies over the page."""
RECALL = SIX_KEYS | {"auto": "rules"}
"""What they are in a recall: one more leads to the game's paytable and rules (L3)."""
RULES = {"lines": "up", "bet": "down", "collect": "back", "paytable_close": "back"}
"""What turns the pages of paytable and rules and leads back; the last is a place on the page, for a finger."""
LONG_PAGE = KEYS | {"info": "page_up", "max_bet": "page_down"}
"""What they are on a page that is longer than a screen."""
CODE = {"auto": "code"}
"""What one more is on a page that is read: it leads to the field in which a page's code is typed."""
SCREEN = 10
"""So many rows at least are in sight at once, and so far PAGE UP and PAGE DOWN go."""

STEPS = {"up": -1, "down": 1, "page_up": -SCREEN, "page_down": SCREEN}
"""How many rows down each key moves the cursor."""
FRESH = -1
"""Where the cursor stands on a page that has not been read yet."""


def first_of(lines: Sequence[Line]) -> int:
    """Return the row that the cursor begins on: below headings that lead nowhere."""
    selectable = (number for number, line in enumerate(lines) if line.tone != "heading" or line.leads is not None)
    return next(selectable, 0)


def keys_of_page(count: int, *, codes: bool) -> Mapping[str, str]:
    """Return what the panel's buttons are on a page of so many rows; with `codes` a page's code can be typed there."""
    keys = LONG_PAGE if is_long(count) else KEYS
    return keys | CODE if codes else keys


def is_long(count: int) -> bool:
    """Whether a page of so many rows is longer than a screen."""
    return count > SCREEN


def moved(focus: int, key: str, count: int) -> int:
    """Return where the cursor goes: up from the first row is the last, and down from there the first again."""
    last = max(0, count - 1)
    if (STEPS[key] < 0 and focus == 0) or (STEPS[key] > 0 and focus == last):
        return last - focus
    return max(0, min(last, focus + STEPS[key]))
