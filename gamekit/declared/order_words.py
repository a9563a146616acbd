"""The sentences of a PAR sheet's order of play that many games share.

Together with the sheet's tables they must suffice to compute the return: nothing may rely on convention
(`tests/games/test_filed_sheets.py` computes each return from them alone). Sentences name tables as the sheet does.
"""

import sys
from collections.abc import Mapping, Sequence

from gamekit.cascades import CascadeRules
from gamekit.declared.declaration import HoldAndWin
from gamekit.exact.definition import ScatterRules
from gamekit.lines import LineRules
from gamekit.ways import WaysRules


def called(game: str, value: object, otherwise: str) -> str:
    """Return the name of a constant in the loaded modules of `game`, as on its sheet; `otherwise` if it has none."""
    own = f"games.{game}"
    modules = [module for name, module in sorted(sys.modules.items()) if name == own or name.startswith(f"{own}.")]
    names = {
        name
        for module in modules
        for name, constant in vars(module).items()
        if constant is value and name.isupper() and not name.startswith("_")
    }
    return min(names, default=otherwise)


def stop_words(reels: str) -> str:
    """Say which reels a spin turns."""
    return f"The reels of {reels} stop: one draw for each, from left to right."


def row(values: Sequence[object]) -> str:
    """Return values as `3, 4, 5` rather than `3, 4 or 5`, so that a row of results can correspond to them."""
    return ", ".join(map(str, values))


def line_words(rules: LineRules, *, pays: str = "LINE_PAYS", lines: str = "LINES") -> tuple[str, ...]:
    """Say how lines pay; `pays` and `lines` are what the sheet calls their tables."""
    return (
        f"Played are the first so many of {lines}: each is a row for every reel, counted from 0 at the top.",
        (
            f"Each line played pays once: the most of what {pays} gives for so many of one symbol in a row from reel "
            "1, times the coins on the line."
        ),
        *wild_words(rules.wild, own=rules.wild in rules.pays, pays=pays),
    )


def wild_words(wild: str | None, *, own: bool, pays: str, times: int = 1) -> tuple[str, ...]:
    """Say what the wild stands for, if there is one."""
    if wild is None:
        return ()
    alone = "and pays as itself too" if own else "and pays nothing as itself"
    multiplied = f"; each wild in a way multiplies it by {times}" if times > 1 else ""
    return (f"The wild is {wild}: it stands for every symbol in {pays} and for no other, {alone}{multiplied}.",)


def ways_words(rules: WaysRules, *, pays: str) -> tuple[str, ...]:
    """Say how ways pay."""
    return (
        (
            "A symbol's run goes on from reel 1 over all reels in a row that show it, wherever they do; how many of "
            "it each of these reels shows, multiplied, are its ways."
        ),
        f"Each way pays what {pays} gives for the reels of the whole run; all symbols are added up.",
        *wild_words(rules.wild, own=False, pays=pays, times=rules.wild_multiplier),
    )


def cascade_words(rules: CascadeRules, free: CascadeRules | None) -> tuple[str, ...]:
    """Say how windows follow each other in a spin, and what multiplies them; `free` where free spins have their own."""
    said = f"A spin's windows, one after the other, pay {row(rules.multipliers)} times, all further ones as the last"
    return (
        (
            "All cells of runs that paid, wilds among them, vanish; what is above them in their reel falls, and the "
            f"strip carries on from above. The new window pays too, and so on until nothing pays, after {rules.most} "
            "falls at the latest."
        ),
        f"{said}; in free spins {row(free.multipliers)} times." if free is not None else f"{said}.",
    )


def scatter_words(scatter: ScatterRules, *, where: str = "in the window", retrigger: bool = True) -> tuple[str, ...]:
    """Say what scatters pay and win."""
    counted = f"{scatter.symbol} anywhere {where}"
    if scatter.weights:
        weights = row([f"{symbol} {weight}" for symbol, weight in scatter.weights.items()])
        counted = f"the sum over the symbols {where} of their weights ({weights})"
    pays = f"{row(list(scatter.pays))} of {counted} pay {row(list(scatter.pays.values()))} times the whole bet."
    won = row(list(scatter.free_spins.values()))
    again = "in free spins too" if retrigger else "in free spins none"
    wins = f"{row(list(scatter.free_spins))} of {counted} win {won} free spins, {again}."
    return (*((pays,) if scatter.pays else ()), *((wins,) if scatter.free_spins else ()))


def pick_words(symbol: str, picks: Mapping[int, int], *, amounts: str) -> str:
    """Say how picks won on a line pay."""
    return (
        f"{symbol} pays on no line: {row(list(picks))} of it in a row from reel 1 on a line played give "
        f"{row(list(picks.values()))} picks. Each pick pays an amount of its own, drawn from {amounts} once its object "
        "was chosen, times the coins on the line; what is left closed holds nothing."
    )


def hold_words(hold: HoldAndWin, *, values: str) -> tuple[str, ...]:
    """Say how hold and win is played."""
    rules = hold.rules
    return (
        f"{hold.least} or more of {rules.symbol} in the window start hold and win.",
        *respin_words(
            rules.symbol, rules.respins, f"a reel of {len(rules.strip)} stops, {rules.strip.count(rules.symbol)} of it"
        ),
        (
            f"Each of them carries an amount of {values}, drawn as it is held; at the end all are paid, times the "
            "whole bet."
        ),
        *((f"If every cell is filled {hold.full} whole bets are added.",) if hold.full else ()),
    )


def respin_words(symbol: str, respins: object, reel: str) -> tuple[str, ...]:
    """Say how cells fill."""
    return (
        (
            f"They stay. In a respin every other cell of the window spins {reel}, each stop as likely as another; "
            f"{symbol} that lands stays too."
        ),
        (
            f"There are {respins} respins, and {respins} again after each in which {symbol} landed; it ends when none "
            "is left or every cell is filled."
        ),
    )


def multiplied_words(multiplier: object, *, of: str = "line wins") -> str:
    """Say what is multiplied in free spins."""
    return f"In free spins {of} are multiplied by {multiplier}, and nothing else is."


def wild_times_words(times: object, *, where: str = "") -> str:
    """Say what wilds in a line win multiply it by: `times` are the factors by their number, in a row or a table."""
    return (
        f"{f'{where} a' if where else 'A'} line win is multiplied by what {times} gives for the wilds in its paid "
        "cells: the first for one, and so on, the last for so many or more; without one it is not."
    )


def free_spin_words(reels: str, *, retrigger: bool = True, won: str = "") -> str:
    """Say how free spins are played, on which reels, and, in `won`, which come first."""
    queue = "those won in them queue behind, without limit" if retrigger else "none are won in them"
    return f"Free spins follow{won}, each behind a press, on {reels}, at the same bet and in this order too; {queue}."
