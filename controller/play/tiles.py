"""What lobby, attract and the jackpot counters tell of each game: its bets, and its pools as they grow."""

import asyncio
from functools import partial

from controller.journal.pools import PoolKey, pools_cents
from controller.machine.machine import Machine
from controller.session import betting
from games.catalogue import load
from games.play import PoolRule

POOLS_S = 3.0
"""How often the jackpot counters are refreshed (rules/bewitched.txt, 3.5)."""


async def keep_tiles(machine: Machine) -> None:
    """Keep the machine's bet ranges and jackpots up to date until cancelled or locked.

    Loading all games may take a while, so nothing waits for it, and it begins once the machine is up.
    """
    await machine.states.up.wait()
    games, rules = machine.settings.config.games, await _loaded(machine)
    while machine.journal.lock is None:
        if machine.settings.config.games != games:
            games, rules = machine.settings.config.games, await _loaded(machine)
        pools = await machine.journal.do(partial(pools_cents, rules=rules)) if rules else {}
        if pools != machine.play.pools_cents:
            machine.play.pools_cents = pools
            machine.states.refresh()
        await machine.clock.sleep(POOLS_S)


async def _loaded(machine: Machine) -> dict[PoolKey, PoolRule]:
    """Take up the bet ranges of the games on offer, and return the rules of their pools."""
    games = machine.settings.config.games
    rules: dict[PoolKey, PoolRule] = {}
    machine.play.bet_ranges = {name: bets for name, bets in machine.play.bet_ranges.items() if name in games.enabled}
    for name in games.enabled:
        game = await asyncio.to_thread(load, name)
        machine.play.bet_ranges = {**machine.play.bet_ranges, name: betting.bet_range(game, games)}
        if game.pool is not None:
            rules.update({PoolKey(name, cents): game.pool for cents in games.coin_values_cents})
    machine.states.refresh()
    return rules
