"""Message codes about credit and bet, and whether each still holds, because money may arrive while it is shown."""

from controller.configuration.cabinet_toml import Games
from controller.session import betting
from controller.session.autospin import Stop
from gamekit.play import Game
from ui.protocol.values import Bet

NOT_ENOUGH, TOO_LITTLE = "not_enough_credit", "credit_below_lowest_bet"
"""The credit is too low for the chosen bet; or for any bet of the game."""

MAX_BET, MAX_BET_COVERED, MAX_BET_BEYOND = "max_bet", "max_bet_covered", "max_bet_beyond"
"""MAX BET has chosen the highest bet; the highest that the credit covers; or the highest, though the credit covers
none."""

RESIDUE = "residue_stays"
"""COLLECT paid nothing: the credit is below one coin of the hopper and can be played."""

AUTOSPIN_CREDIT = f"autospin_{Stop.CREDIT}"


def about_max_bet(game: Game, games: Games, bet: Bet, credit_cents: int) -> str:
    """Return the message code for a bet that MAX BET has chosen at this credit."""
    if bet.cents > credit_cents:
        return MAX_BET_BEYOND
    return MAX_BET if bet == betting.highest(game, games, bet) else MAX_BET_COVERED


def holds(message: str, game: Game, games: Games, bet: Bet, credit_cents: int) -> bool:
    """Whether a message is still true; a message that is not about credit and bet always is."""
    if message in (NOT_ENOUGH, AUTOSPIN_CREDIT):
        return credit_cents < bet.cents
    if message == TOO_LITTLE:
        return credit_cents < betting.lowest_bet(game, games).cents
    if message in (MAX_BET, MAX_BET_COVERED, MAX_BET_BEYOND):
        chosen = betting.most(game, games, bet, credit_cents)
        return bet == chosen and message == about_max_bet(game, games, bet, credit_cents)
    return True
