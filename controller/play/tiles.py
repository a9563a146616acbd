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
    await machine.up.wait()
    games, rules = machine.config.games, await _loaded(machine)
    while machine.lock is None:
        if machine.config.games != games:
            games, rules = machine.config.games, await _loaded(machine)
        pools = await machine.do(partial(pools_cents, rules=rules)) if rules else {}
        if pools != machine.pools_cents:
            machine.pools_cents = pools
            machine.refresh()
        await machine.clock.sleep(POOLS_S)


async def _loaded(machine: Machine) -> dict[PoolKey, PoolRule]:
    """Take up the bet ranges of the games on offer, and return the rules of their pools."""
    games = machine.config.games
    rules: dict[PoolKey, PoolRule] = {}
    machine.bet_ranges = {name: bets for name, bets in machine.bet_ranges.items() if name in games.enabled}
    for name in games.enabled:
        game = await asyncio.to_thread(load, name)
        machine.bet_ranges = {**machine.bet_ranges, name: betting.bet_range(game, games)}
        if game.pool is not None:
            rules.update({PoolKey(name, cents): game.pool for cents in games.coin_values_cents})
    machine.refresh()
    return rules
