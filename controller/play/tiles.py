"""The data of each game for lobby, attract and the jackpot counters: its bets, and its growing pools."""

import asyncio

from controller.journal.pools import PoolKey
from controller.machine.game_state import GameState
from controller.machine.jackpots import Jackpots
from controller.machine.journal_port import JournalPort
from controller.machine.settings_store import SettingsStore
from controller.machine.state_machine import StateMachine
from controller.session import betting
from drivers.clock import Clock
from gamekit.catalogue import load
from gamekit.play import PoolRule

POOLS_S = 3.0
"""The refresh interval of the jackpot counters in seconds (games/bewitched/RULES.md, 3.5)."""


async def keep_tiles(
    journal: JournalPort,
    settings: SettingsStore,
    play: GameState,
    states: StateMachine,
    clock: Clock,
    *,
    jackpots: Jackpots,
) -> None:
    """Keep the machine's bet ranges and jackpots up to date until cancelled or locked.

    Loading all games may take a while, so nothing waits for it, and it starts once the machine is up.
    """
    await states.up.wait()
    games, rules = settings.config.games, await _loaded(settings, play, states)
    while journal.lock is None:
        if settings.config.games != games:
            games, rules = settings.config.games, await _loaded(settings, play, states)
        pools = await jackpots.cents(rules)
        closed = {key: code for key in rules if (code := jackpots.closed(key))}
        if (pools, closed) != (play.pools_cents, play.pools_closed):
            play.pools_cents, play.pools_closed = pools, closed
            states.refresh()
        await clock.sleep(POOLS_S)


async def _loaded(settings: SettingsStore, play: GameState, states: StateMachine) -> dict[PoolKey, PoolRule]:
    """Store the bet ranges of the games on offer, and return the rules of their pools."""
    games = settings.config.games
    rules: dict[PoolKey, PoolRule] = {}
    play.bet_ranges = {name: bets for name, bets in play.bet_ranges.items() if name in games.enabled}
    for name in games.enabled:
        game = await asyncio.to_thread(load, name)
        play.bet_ranges = {**play.bet_ranges, name: betting.bet_range(game, games)}
        if game.pool is not None:
            rules.update({PoolKey(name, cents): game.pool for cents in games.coin_values_cents})
    states.refresh()
    return rules
