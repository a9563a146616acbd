# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""The words of Bewitched's own scenes; shown through `ui.text`."""

WITCHES = ("Marigold", "Selene")
"""What the player calls the two witches, by their number in the view."""

CHOOSE = "CHOOSE YOUR WITCH"
CHOOSE_HINT = "Touch a witch, or LINES, BET and SPIN. Both have the same odds."
YOURS = "YOUR WITCH"
WITCH_IS = "Witch: {name}"

BATTLE = "{name} fights for you: if she wins, free spins follow"
BATTLE_WON = "{name} has won!  {spins} free spins"
SPIN_WON = "{number} FREE SPIN"
SPINS_WON = "{number} FREE SPINS"
BATTLE_LOST = "{name} has lost: this battle brings no free spins"

MERLIN_CAME = "{count} × Merlin: combine three vials!"
COMBINE = "COMBINE THREE VIALS"
SHOWN_COMBINE = "MERLIN'S VIALS"
VIAL_LEFT = "{number} vial left to choose"
VIALS_LEFT = "{number} vials left to choose"
VIAL_BUTTONS = "Touch a vial, or move with LINES and BET and take it with SPIN"
POURING = "Into the cauldron with it!"
BREWING = "MERLIN BREWS ..."
BREWED = "YOUR POTION"
SHOWN_BREWED = "MERLIN'S POTION"
TIMES_BET = "{times} × the bet"
POTION_MONEY = "{times} × the bet: {amount}"
POTION_SPINS = "The potion brings {spins} free spins"
POTION_JACKPOT = "The potion is the JACKPOT!"

NOTE_MERLIN = "3 or more anywhere: combine three vials"
NOTE_SCATTER = "Battle for free spins"
FOOT = "What is paid at your bet · witches pay anywhere"
