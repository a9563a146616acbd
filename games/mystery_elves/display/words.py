# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""Mystery Elves' own English texts; like those of `ui/text.py` they are looked up in gettext's catalogue when shown."""

TIMES_BET = "{number}×"
HOLD_WON = "{count} bonus symbols: Hold and Win!"
RESPINS = "RESPINS LEFT"
CELLS_FILLED = "{filled} of {cells} cells filled"
PRESS_FIRST = "Press SPIN for the first of {left} respins"
RESPINNING = "Every empty cell spins a reel of its own"
LANDED = "A new bonus symbol stays: {left} respins again"
ENDED = "The respins are over: everything is counted"
FILLED = "All {cells} cells are filled: the whole feature pays × {times}"
MYSTERY = "Mystery awards {award}: {amount}"
MULTIPLYING = "Multiplying: every value and award × {times}"
TURNED = "It turns into {bets}× the bet: {amount} more"
TOTAL = "HOLD AND WIN PAYS"
SO_FAR = "TOTAL"

BUY = "BUY FEATURE"
BUY_TITLE = "BUY HOLD AND WIN?"
BUY_PRICE = "{times} × your bet of {bet}"
BUY_WHAT = (
    "One spin at this price: it stops with at least {least} bonus symbols, which start Hold and Win. "
    "Everything it wins is paid at your bet of {bet}."
)
BUY_RETURN = "Average return of a bought feature: {rtp} %"
BUY_YES = "BUY"
BUY_NO = "NO, BACK"
BUY_HINT = "SPIN: buy  ·  COLLECT: back to the game"

AWARDS = {"mini": "MINI", "minor": "MINOR", "major": "MAJOR", "grand": "GRAND"}

NOTE_BONUS = "{least} or more anywhere: Hold and Win"
FOOT = "What is paid at your bet  ·  Mystery awards, × the bet: {awards}"
AWARD_OF = "{award} {bets}"
