"""Seeds of the draws, by what their first round brings."""

LOSING, WINNING, CHESTS, FREE_SPINS = 1, 2, 25, 142
"""Seeds whose first round of 15 lines at 0.10 wins nothing, 3.00, opens chests, starts free spins."""


WIN_CENTS = 300


STAKE_CENTS = 150
