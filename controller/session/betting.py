"""What may be bet and gambled on this cabinet in each game, and how the panel steps through it.

Most games are bet in lines, coins on a line and a coin value. A game with `total_bets` is bet by its total: its lines
are fixed, and the coin is whatever share of the bet one line takes, so that it needs no choice of its own.
"""

from controller.configuration.cabinet_toml import Config, Games, most_hopper_coins
from controller.domain import Bet
from games.catalogue import load
from games.play import Game

USUAL_TOTAL_CENTS = 100
"""The total bet of a player who has just sat down: the highest on offer that is not above it."""


def total_bets(game: Game, games: Games) -> tuple[int, ...]:
    """Return the bets in cents, rising, that are on offer in a game that is bet by its total; else nothing."""
    if game.total_bets is None:
        return ()
    return games.bets_cents.get(game.name, game.total_bets.usual_cents)


def gamble_cap(game: Game, games: Games) -> int:
    """Return the highest amount that may be gambled here, in cents; 0 for no gamble."""
    return games.gamble_cap_cents.get(game.name, game.gamble_cap_cents) if games.double_up else 0


def total_bet(game: Game, cents: int) -> Bet:
    """Return the bet of `cents` in a game that is bet by its total."""
    lines, coins = game.line_counts[-1], game.coins_per_line[-1]
    return Bet(lines=lines, coins_per_line=coins, coin_value_cents=cents // (lines * coins))


def is_offered(game: Game, games: Games, bet: Bet) -> bool:
    """Whether a player may bet this here."""
    if game.total_bets is not None:
        return any(bet == total_bet(game, cents) for cents in total_bets(game, games))
    return (
        bet.lines in game.line_counts
        and bet.coins_per_line in game.coins_per_line
        and bet.coin_value_cents in games.coin_values_cents
    )


def first_bet(game: Game, games: Games) -> Bet:
    """Return the bet of a player who has just sat down: all lines, one coin, the cabinet's usual coin value."""
    if bets := total_bets(game, games):
        return total_bet(game, max((cents for cents in bets if cents <= USUAL_TOTAL_CENTS), default=bets[0]))
    return Bet(
        lines=game.line_counts[-1],
        coins_per_line=game.coins_per_line[0],
        coin_value_cents=games.default_coin_value_cents,
    )


def lowest_bet(game: Game, games: Games) -> Bet:
    """Return the lowest bet on offer."""
    if bets := total_bets(game, games):
        return total_bet(game, bets[0])
    return Bet(
        lines=game.line_counts[0],
        coins_per_line=game.coins_per_line[0],
        coin_value_cents=min(games.coin_values_cents),
    )


def pays_for_a_bet(games: Games, credit_cents: int) -> bool:
    """Whether the credit covers the lowest bet of some game on offer.

    Games are loaded only until one is found, the default game first: a view asks this at each change.
    """
    names = dict.fromkeys((games.default, *games.enabled))
    return any(lowest_bet(load(name), games).cents <= credit_cents for name in names)


def residue_cents(config: Config, credit_cents: int) -> int:
    """Return the credit where it stays at the end of a cash-out, else 0.

    It stays where it is below one coin of the hopper and can be played.
    """
    if config.hopper is None or config.payout.residue != "credit" or not most_hopper_coins(config):
        return 0
    below_a_coin = 0 < credit_cents < config.hopper.coin_value_cents
    return credit_cents if below_a_coin and pays_for_a_bet(config.games, credit_cents) else 0


def bet_range(game: Game, games: Games) -> tuple[int, int]:
    """Return the lowest and the highest bet on offer, in cents."""
    if bets := total_bets(game, games):
        return bets[0], bets[-1]
    highest = game.line_counts[-1] * game.coins_per_line[-1] * max(games.coin_values_cents)
    return lowest_bet(game, games).cents, highest


def stepped(game: Game, games: Games, bet: Bet, control: str) -> Bet:
    """Return the bet after `bet`, `lines` or `coin_value` was pressed.

    In a game that is bet by its total BET steps up, from the highest bet to the lowest, and LINES steps down.
    """
    if bets := total_bets(game, games):
        if control == "bet":
            return total_bet(game, next((cents for cents in bets if cents > bet.cents), bets[0]))
        return total_bet(game, next((cents for cents in reversed(bets) if cents < bet.cents), bets[0]))
    lines, coins, value = bet.lines, bet.coins_per_line, bet.coin_value_cents
    match control:
        case "bet":
            coins = _next(game.coins_per_line, coins)
        case "lines":
            lines = _next(game.line_counts, lines)
        case "coin_value":
            value = _next(games.coin_values_cents, value)
    return Bet(lines=lines, coins_per_line=coins, coin_value_cents=value)


def highest(game: Game, games: Games, bet: Bet) -> Bet:
    """Return the highest bet: all lines at the most coins of the chosen coin value, or the highest total on offer."""
    return _highest_first(game, games, bet)[0]


def most(game: Game, games: Games, bet: Bet, credit_cents: int) -> Bet:
    """Return what MAX BET chooses: the highest bet that the credit covers, and where it covers none the highest."""
    bets = _highest_first(game, games, bet)
    return next((each for each in bets if each.cents <= credit_cents), bets[0])


def _highest_first(game: Game, games: Games, bet: Bet) -> list[Bet]:
    """Return all bets at the coin value of `bet`, the highest first, of equal ones that with the most lines."""
    if bets := total_bets(game, games):
        return [total_bet(game, cents) for cents in reversed(bets)]
    return sorted(
        (
            Bet(lines=lines, coins_per_line=coins, coin_value_cents=bet.coin_value_cents)
            for lines in game.line_counts
            for coins in game.coins_per_line
        ),
        key=lambda each: (each.coins, each.lines),
        reverse=True,
    )


def _next(values: tuple[int, ...], current: int) -> int:
    """Return the value after `current`, the first one after the last."""
    return values[(values.index(current) + 1) % len(values)] if current in values else values[0]
