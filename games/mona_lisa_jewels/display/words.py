# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""Mona Lisa Jewels' own English texts; like those of `ui/text.py` they go through gettext when they are shown."""

JACKPOT = "JACKPOT"
NOT_PLAYED = ("JACKPOT ONLY WITH", "{lines} LINES × {coins} COINS")
PLAYED = ("THIS BET PLAYS", "FOR THE JACKPOT")
NOTE = "{first} {second}"

JEWEL_SPINS = "{total} JEWEL SPINS"
JEWEL_SPIN_OF = "JEWEL SPIN {number} OF {total}"
JEWELS_WIN = "JEWEL SPINS WIN"
LOCKED = "REEL 1 IS LOCKED"
FREE_TO_COME = "{number} free spin to come"
FREE_TO_COME_MANY = "{number} free spins to come"
LOCKING = "Reel 1 is locked: Jewels and wilds stay where they are"
PRESS_JEWELS = "PRESS SPIN TO START THE JEWEL SPINS"
NEXT_JEWEL = "The other jewel spin follows by itself"
HOLDING = "{number} more stays for the second jewel spin"
HOLDING_MANY = "{number} more stay for the second jewel spin"
JEWELS_PAID = "The jewel spins have paid {amount}"
JEWELS_PAID_NOTHING = "The jewel spins have paid nothing this time"

FREE_NOTE = "{wilds} WILDS × {times}"

FIVE = "Line {line} · five Jackpot symbols"
FIVE_PAY = "Line {line} · 5 × Jackpot · {coins} · {amount}"
CLAIMING = "FIVE JACKPOT SYMBOLS: YOU HAVE WON THE JACKPOT"
JACKPOT_PAYS = "You have won the jackpot: {amount}"
FIVE_ON_LINE = "FIVE JACKPOT SYMBOLS ON LINE {line}"

NOTE_WILD = "Stands for all but Palette and Jackpot"
NOTE_JACKPOT = "The jackpot at {lines} × {coins} coins"
FOOT = "What is paid at your bet · Palettes pay anywhere · 2 or 3 Jewels on reel 1: {spins} jewel spins"
