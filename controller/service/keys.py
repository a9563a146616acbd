"""The keys of the panel's buttons in the service menu, and how they move its cursor."""

from collections.abc import Mapping, Sequence

from controller.service.page import Line

KEYS = {"lines": "up", "bet": "down", "spin": "enter", "collect": "back"}
"""The keys of the panel's buttons on most pages."""
SIX_KEYS = KEYS | {"info": "first", "max_bet": "last"}
"""Two more keys while a game's screen covers the page."""
RECALL = SIX_KEYS | {"auto": "rules"}
"""The keys in a recall: one more opens the game's paytable and rules (L3)."""
RULES = {"lines": "up", "bet": "down", "collect": "back", "paytable_close": "back"}
"""The keys of the paytable and rules; the last is a touch area."""
LONG_PAGE = KEYS | {"info": "page_up", "max_bet": "page_down"}
"""The keys on a page longer than the screen."""
CODE = {"auto": "code"}
"""The key that opens the field for a page's code."""
SCREEN = 10
"""The rows that are always visible at once, which is also the step of PAGE UP and PAGE DOWN."""

STEPS = {"up": -1, "down": 1, "page_up": -SCREEN, "page_down": SCREEN}
"""The rows by which each key moves the cursor."""
FRESH = -1
"""The cursor of a page that has not been read yet."""


def first_of(lines: Sequence[Line]) -> int:
    """Return the first row for the cursor: headings without a link are skipped."""
    selectable = (number for number, line in enumerate(lines) if line.tone != "heading" or line.leads is not None)
    return next(selectable, 0)


def keys_of_page(count: int, *, codes: bool) -> Mapping[str, str]:
    """Return the keys of a page with `count` rows; with `codes` a page's code can be typed."""
    keys = LONG_PAGE if is_long(count) else KEYS
    return keys | CODE if codes else keys


def is_long(count: int) -> bool:
    """Whether a page with `count` rows is longer than the screen."""
    return count > SCREEN


def moved(focus: int, key: str, count: int) -> int:
    """Return the new row of the cursor; it wraps from first to last and back."""
    last = max(0, count - 1)
    if (STEPS[key] < 0 and focus == 0) or (STEPS[key] > 0 and focus == last):
        return last - focus
    return max(0, min(last, focus + STEPS[key]))
