"""The bets and gambles that this cabinet offers in each game, and how the panel steps through the bets.

Most games are bet in lines, coins per line and a coin value. A game with `total_bets` is bet by its total: its lines
are fixed, and the coin is the share of the bet that one line takes, so that it is not chosen separately.

If the house has a largest stake or prize, only the bets that `fits` accepts are on offer, and only the games that have
such a bet (`within_limits`).
"""

from functools import cache

import msgspec

from controller.configuration.cabinet_toml import Config, Games, most_hopper_coins
from gamekit.catalogue import load
from gamekit.figures import figures_of
from gamekit.play import Game
from gamekit.win_up_to import highest_promise, promise
from ui.protocol.values import Bet

USUAL_TOTAL_CENTS = 100
"""The first total bet of a player: the highest on offer that does not exceed it."""


def total_bets(game: Game, games: Games) -> tuple[int, ...]:
    """Return the bets in cents, rising, of a game that is bet by its total, or an empty tuple for other games."""
    if game.total_bets is None:
        return ()
    bets = games.bets_cents.get(game.name, game.total_bets.usual_cents)
    return tuple(cents for cents in bets if fits(game, games, total_bet(game, cents))) if limited(games) else bets


def gamble_cap(game: Game, games: Games) -> int:
    """Return the highest amount that may be gambled here, in cents, 0 for no gamble.

    A win above half of the largest prize could exceed that prize, and is not gambled.
    """
    if not games.double_up:
        return 0
    cap = games.gamble_cap_cents.get(game.name, game.gamble_cap_cents)
    return min(cap, games.largest_prize_cents // 2) if games.largest_prize_cents else cap


def limited(games: Games) -> bool:
    """Whether the house has a largest stake or a largest prize."""
    return bool(games.largest_stake_cents or games.largest_prize_cents)


def fits(game: Game, games: Games, bet: Bet, price: int = 1) -> bool:
    """Whether a stake of `price` bets and its possible win are within the house's largest stake and prize."""
    stake, prize = games.largest_stake_cents, games.largest_prize_cents
    if stake and bet.cents * price > stake:
        return False
    return not prize or (not _wins_pool(game, bet) and _highest_coins(game, bet, price) * bet.coin_value_cents <= prize)


def _wins_pool(game: Game, bet: Bet) -> bool:
    """Whether this bet may win a growing jackpot, which has no highest amount."""
    if game.pool is None or not game.pool_at_highest_bet:
        return game.pool is not None
    return (bet.lines, bet.coins_per_line) == (game.line_counts[-1], game.coins_per_line[-1])


@cache
def _highest_coins(game: Game, bet: Bet, price: int) -> int:
    """Return the most that a play may win in coins, as far as its rules state it.

    That is "win up to" (one play in 50 million), or the highest win of a single paid or free spin if that is more,
    which is at most that of all lines with as many coins.
    """
    figures, most = figures_of(game.name), highest_promise(game.name)
    spins = max(figures.paid.coins, 0 if figures.free is None else figures.free.coins)
    spin = -(-spins * bet.coins_per_line // most.coins_per_line)
    found = promise(game.name, lines=bet.lines, coins_per_line=bet.coins_per_line, price=price)
    return max(found.coins, spin)


@cache
def _offered(game: Game, games: str) -> tuple[Bet, ...]:
    """Return every bet on offer in a game; `games` is `[games]` as JSON, because the struct is not hashable."""
    house = msgspec.json.decode(games, type=Games)
    if game.total_bets is not None:
        bets = [total_bet(game, cents) for cents in total_bets(game, house)]
    else:
        bets = [
            Bet(lines=lines, coins_per_line=coins, coin_value_cents=cents)
            for lines in game.line_counts
            for coins in game.coins_per_line
            for cents in house.coin_values_cents
        ]
    return tuple(bet for bet in bets if fits(game, house, bet))


def offered(game: Game, games: Games) -> tuple[Bet, ...]:
    """Return every bet on offer in a game; empty if none is within the house's limits."""
    return _offered(game, msgspec.json.encode(games).decode())


def within_limits(config: Config) -> Config:
    """Return `config` without the games that have no bet within the house's largest stake and prize.

    If none would be left they all stay, and `controller.settings.set_up` raises a fault that stops play.
    """
    left = playable(config.games)
    return msgspec.structs.replace(config, games=config.games.offering(left)) if left else config


def playable(games: Games) -> tuple[str, ...]:
    """Return the enabled games that have a bet within the house's largest stake and prize."""
    return tuple(name for name in games.enabled if not limited(games) or offered(load(name), games))


def total_bet(game: Game, cents: int) -> Bet:
    """Return the bet of `cents` in a game that is bet by its total."""
    lines, coins = game.line_counts[-1], game.coins_per_line[-1]
    return Bet(lines=lines, coins_per_line=coins, coin_value_cents=cents // (lines * coins))


def is_offered(game: Game, games: Games, bet: Bet) -> bool:
    """Whether a player may place this bet here."""
    if game.total_bets is not None:
        return any(bet == total_bet(game, cents) for cents in total_bets(game, games))
    return (
        fits(game, games, bet)
        and bet.lines in game.line_counts
        and bet.coins_per_line in game.coins_per_line
        and bet.coin_value_cents in games.coin_values_cents
    )


def first_bet(game: Game, games: Games) -> Bet:
    """Return a player's first bet: all lines, one coin, the cabinet's usual coin value."""
    if bets := total_bets(game, games):
        return total_bet(game, max((cents for cents in bets if cents <= USUAL_TOTAL_CENTS), default=bets[0]))
    usual = Bet(
        lines=game.line_counts[-1],
        coins_per_line=game.coins_per_line[0],
        coin_value_cents=games.default_coin_value_cents,
    )
    if fits(game, games, usual):
        return usual
    return max(offered(game, games), key=lambda bet: (bet.lines, -bet.coins_per_line, bet.coin_value_cents))


def lowest_bet(game: Game, games: Games) -> Bet:
    """Return the lowest bet on offer."""
    if bets := total_bets(game, games):
        return total_bet(game, bets[0])
    if limited(games):
        return min(offered(game, games), key=lambda bet: bet.cents)
    return Bet(
        lines=game.line_counts[0],
        coins_per_line=game.coins_per_line[0],
        coin_value_cents=min(games.coin_values_cents),
    )


def pays_for_a_bet(games: Games, credit_cents: int) -> bool:
    """Whether the credit covers the lowest bet of some game on offer.

    Games are loaded only until one is found, the default game first, because a view calls this at each change.
    """
    names = dict.fromkeys((games.default, *games.enabled)) if games.enabled else ()
    return any(lowest_bet(load(name), games).cents <= credit_cents for name in names)


def residue_cents(config: Config, credit_cents: int) -> int:
    """Return the credit that stays after a cash-out, otherwise 0.

    It stays if it is below one coin of the hopper and can be played.
    """
    if config.hopper is None or config.payout.residue != "credit" or not most_hopper_coins(config):
        return 0
    below_a_coin = 0 < credit_cents < config.hopper.coin_value_cents
    return credit_cents if below_a_coin and pays_for_a_bet(config.games, credit_cents) else 0


def bet_range(game: Game, games: Games) -> tuple[int, int]:
    """Return the lowest and the highest bet on offer, in cents."""
    if bets := total_bets(game, games):
        return bets[0], bets[-1]
    if limited(games):
        return lowest_bet(game, games).cents, max(bet.cents for bet in offered(game, games))
    highest = game.line_counts[-1] * game.coins_per_line[-1] * max(games.coin_values_cents)
    return lowest_bet(game, games).cents, highest


def stepped(game: Game, games: Games, bet: Bet, control: str) -> Bet:
    """Return the bet after a press of `bet`, `lines` or `coin_value`.

    In a game that is bet by its total, BET steps up and wraps from the highest bet to the lowest, and LINES steps down.
    """
    if bets := total_bets(game, games):
        if control == "bet":
            return total_bet(game, next((cents for cents in bets if cents > bet.cents), bets[0]))
        return total_bet(game, next((cents for cents in reversed(bets) if cents < bet.cents), bets[0]))
    after = _stepped(game, games, bet, control)
    while after != bet and not fits(game, games, after):
        after = _stepped(game, games, after, control)
    return after


def _stepped(game: Game, games: Games, bet: Bet, control: str) -> Bet:
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
    """Return the bet of MAX BET: the highest one that the credit covers, or the highest one if it covers none."""
    bets = _highest_first(game, games, bet)
    return next((each for each in bets if each.cents <= credit_cents), bets[0])


def _highest_first(game: Game, games: Games, bet: Bet) -> list[Bet]:
    """Return all bets at the coin value of `bet`, highest first; among equal ones, most lines first."""
    if bets := total_bets(game, games):
        return [total_bet(game, cents) for cents in reversed(bets)]
    every = (
        Bet(lines=lines, coins_per_line=coins, coin_value_cents=bet.coin_value_cents)
        for lines in game.line_counts
        for coins in game.coins_per_line
    )
    return sorted(
        (each for each in every if fits(game, games, each)),
        key=lambda each: (each.coins, each.lines),
        reverse=True,
    )


def _next(values: tuple[int, ...], current: int) -> int:
    """Return the value after `current`, or the first one after the last."""
    return values[(values.index(current) + 1) % len(values)] if current in values else values[0]
