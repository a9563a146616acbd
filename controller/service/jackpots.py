"""M.8: the cabinet's own jackpots, pool by pool: the value of each, its terms, and what it has paid (J1)."""

from collections.abc import Iterator, Sequence

from controller.configuration.cabinet_toml import Config
from controller.journal.periods import meter
from controller.journal.pools import (
    HITS,
    MILLI,
    PAID,
    VOID_HITS,
    VOID_PAID,
    JournalPools,
    PoolKey,
    meter_of,
    whole_coins,
)
from controller.journal.transaction import Transaction
from controller.service.by_game import percent
from controller.service.page import Line, Page
from controller.service.past_rounds import title_of
from controller.service.serviced_machine import ServicedMachine
from gamekit.catalogue import load, names
from gamekit.play import PoolRule

NONE, COIN_VALUE, VENUES = "none", "coin value", "The venue keeps the jackpots: U.13 has them"


def _jackpots(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    if machine.venue is not None and machine.venue.report().pools:
        return (Line(VENUES),)
    lines = [line for key, rule in _levels(tx, machine.settings.config) for line in _level(tx, key, rule)]
    return lines or (Line("No game on offer has a jackpot that grows"),)


def _levels(tx: Transaction, config: Config) -> Iterator[tuple[PoolKey, PoolRule]]:
    """Yield the pools of games at every coin value on offer, and those that are stored of other games and values."""
    held = JournalPools(tx).keys()
    off = sorted({key.game for key in held} & set(names()) - set(config.games.enabled))
    for name in (*config.games.enabled, *off):
        if (rule := load(name).pool) is not None:
            values = {key.coin_value_cents for key in held if key.game == name}
            values |= set() if name in off else set(config.games.coin_values_cents)
            yield from ((PoolKey(name, value), rule) for value in sorted(values))


def _level(tx: Transaction, key: PoolKey, rule: PoolRule) -> Sequence[Line]:
    pools = JournalPools(tx)
    value, coin = pools.value(key, rule), key.coin_value_cents
    return (
        Line(title_of(key.game), COIN_VALUE, cents=coin, tone="heading"),
        Line("Value", cents=value // MILLI),
        Line(
            "Paid if it is won now, in whole coins",
            cents=whole_coins(value, coin) * coin,
        ),
        Line("Reset value", cents=rule.seed_coins * coin),
        Line("Increment, of each bet", percent(rule.growth_per_mille, MILLI)),
        Line("Limit", NONE),
        Line("Overflow beyond the limit", NONE),
        Line("Hits", count=_less(tx, key, HITS, VOID_HITS)),
        Line("Won by hits", cents=_less(tx, key, PAID, VOID_PAID)),
    )


def _less(tx: Transaction, key: PoolKey, counted: str, void: str) -> int:
    """Return one of a pool's meters minus its void part; archives and rebuilt books keep both meters."""
    return meter(tx, meter_of(key, counted)) - meter(tx, meter_of(key, void))


PAGES = (Page("M.8", "Jackpots", _jackpots),)
