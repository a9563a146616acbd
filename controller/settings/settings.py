"""The settings of a cabinet: `cabinet.toml`, overridden by the settings made in the service menu.

A setting is a dotted key of `cabinet.toml`. It is stored in the journal and must pass the checks of the file
(`controller.configuration.checks`). Each change is one transaction with an event that names old value, new value and
person.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from controller.configuration.cabinet_toml import Config, whole_file
from controller.configuration.checks import problems_in
from controller.configuration.fields import Misfit, Problem
from controller.journal import held_payouts
from controller.journal.errors import RefusedError
from controller.journal.settings import record_change, stored_settings
from controller.journal.transaction import InPlay, Transaction
from controller.session.betting import playable
from controller.session.session import leave_game
from gamekit.catalogue import names

Value = bool | int | str | list[int] | list[str] | None
"""The value of a key, None if it has none."""

CHOSEN: Mapping[str, tuple[str, ...]] = {
    "coin_acceptor": ("port", "protocol", "address", "serial"),
    "bill_validator": ("port", "protocol", "parity", "address", "serial"),
    "hopper": ("port", "protocol", "address", "serial", "coin_value_cents"),
    "ticket_printer": ("port", "link", "baud"),
}
"""What the set-up guide sets of a device that it has found."""

SETTABLE = (
    "cabinet.name",
    "cabinet.number",
    "cabinet.location",
    "cabinet.language",
    "cabinet.dates",
    "cabinet.money.*",
    "games.*",
    "player.*",
    "limits.*",
    "payout.*",
    "coin_acceptor.coins_cents",
    "hopper.max_coins",
    *(f"{table}.{name}" for table, names in CHOSEN.items() for name in names),
    "sound.*",
    "display.brightness_percent",
    "timing.attract_after_ms",
    "tower.*",
    "network.enabled",
    "service.*",
)
"""The keys that can be set in the service menu; all others are only in `cabinet.toml`."""

MONEY = ("cabinet.money.*", "games.*", "player.*", "limits.*", "payout.residue", *(f"{table}.*" for table in CHOSEN))
"""Settings that need zero credit, no round, no open payout and no money that is held (C11, G7)."""

AT_NEXT_START = ("cabinet.money.currency", "cabinet.money.*country", *(f"{table}.*" for table in CHOSEN))
"""Settings that a driver reads once at the start."""

CREDIT, ROUND, PAYOUT = "There is credit: pay it out first", "A game is not over yet", "A payout is not over yet"
UNFIT = "It does not fit the other settings"
OUTSIDE = "It is outside the limits"
PLACE_TAKEN = "Another device has this port: choose both together, or take that one out of cabinet.toml"
_PLACES = frozenset(f"{table}.{name}" for table, names in CHOSEN.items() for name in {"port", "address"} & {*names})
ONE_STAYS = "One of them must stay on"
FIRST_GAME = "The first game must stay on offer: choose another first"
FIRST_COIN = "The usual coin value must stay on offer: choose another first"
DIVERTER = "The diverter needs the coin of the hopper alone"
SIGN = "The sign belongs to another currency: choose the usual one first"
NO_GAME_LEFT = "No game has a bet within these limits"
SEPARATORS = "The signs for decimals and thousands must differ"


class Fitted(NamedTuple):
    """A configuration with its settings; those that do not fit are left out and listed in `unfit` with the reason."""

    config: Config
    unfit: tuple[Problem, ...]


def value_at(config: Config, key: str) -> Value:
    """Return the value at `key`, None if it has none."""
    found: Any = config
    for name in key.split("."):
        found = found.get(name) if isinstance(found, dict) else getattr(found, name, None)
    return list(found) if isinstance(found, tuple) else found


def matches(key: str, patterns: tuple[str, ...]) -> bool:
    """Whether `key` matches one of `keys`."""
    return any(fnmatchcase(key, pattern) for pattern in patterns)


def fitted(file_config: Config, stored: Mapping[str, str]) -> Fitted:
    """Return `file_config` overridden by the stored settings, without the games that cannot be played.

    If they do not fit together, the settings that a check names are left out, or all if it names none of them.
    """
    if not stored:
        return Fitted(_with_games_that_pass(file_config), ())
    values: dict[str, Value] = {}
    unfit: dict[str, Problem] = {}
    for key, text in stored.items():
        try:
            values[key] = msgspec.json.decode(text)
        except msgspec.DecodeError:
            unfit[key] = Problem(key, f"is {text} in the journal, which is no value; forget it in C.8")
        if not matches(key, SETTABLE):
            unfit[key] = Problem(key, "is no setting of the service menu; forget it in C.8")
    values = {key: value for key, value in values.items() if key not in unfit}
    while found := _new_problems(file_config, values):
        for key in _culprits(file_config, values, found):
            about = next((problem for problem in found if _is_about(problem, key)), None)
            reason = about.text if about else f"does not fit {found[0].key}, which {found[0].text}"
            kind = (about or found[0]).kind
            unfit[key] = Problem(key, f"was set in the service menu and {reason}; or forget it in C.8", kind)
            del values[key]
    config = msgspec.convert(_tables(file_config, values), whole_file()) if values else file_config
    return Fitted(_with_games_that_pass(config), tuple(unfit.values()))


def _with_games_that_pass(config: Config) -> Config:
    """Return `config` without games that are missing or withdrawn (`gamekit.catalogue`); the result may have none."""
    here = names()
    left = tuple(name for name in config.games.enabled if name in here)
    return config if left == config.games.enabled else replace(config, games=config.games.offering(left))


def _new_problems(file_config: Config, values: Mapping[str, Value]) -> list[Problem]:
    """Return the problems of `file_config` with these values that it does not have without them."""
    found = problems_in(_tables(file_config, values), whole_file()) if values else ()
    before = problems_in(_tables(file_config, {}), whole_file()) if found else ()
    return [problem for problem in found if problem not in before]


def _culprits(file_config: Config, values: Mapping[str, Value], found: list[Problem]) -> tuple[str, ...]:
    """Return the settings to leave out: those that a problem names, else one whose removal solves it, else all."""
    named = tuple(key for key in values if any(_is_about(problem, key) for problem in found))
    if named:
        return named
    for key in reversed(list(values)):
        if not _new_problems(file_config, {name: value for name, value in values.items() if name != key}):
            return (key,)
    return tuple(values)


def _is_about(problem: Problem, key: str) -> bool:
    return problem.key.partition("[")[0] == key


def _tables(file_config: Config, values: Mapping[str, Value]) -> dict[str, Any]:
    """Return `file_config` as the tables of a `cabinet.toml`, with `values` filled in."""
    tables: dict[str, Any] = _bare(msgspec.to_builtins(file_config))
    for key, value in values.items():
        *path, last = key.split(".")
        table = tables
        for name in path:
            table = table.setdefault(name, {})
        if value is None:
            table.pop(last, None)
        else:
            table[last] = value
    return tables


def _bare(table: dict[str, Any]) -> dict[str, Any]:
    """Return a table without None, which TOML lacks; tuples become lists."""
    bare: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            bare[name] = _bare(value)
        elif value is not None:
            bare[name] = list(value) if isinstance(value, tuple) else value
    return bare


def locked_by(tx: Transaction) -> str:
    """Return why money settings cannot change now (C11), empty if they can."""
    in_play = tx.in_play()
    if InPlay.ROUND in in_play:
        return ROUND
    if InPlay.PAYOUT in in_play or held_payouts.pending(tx):
        return PAYOUT
    return CREDIT if tx.credit_cents else ""


def change(tx: Transaction, file_config: Config, values: Mapping[str, Value], who: str) -> tuple[str, ...]:
    """Set these keys, all or none; return those whose effective value has changed.

    Raises `RefusedError` with a message for the screen: for money settings while there is credit, a round or a payout
    (C11), and for values that `cabinet.toml` could not have either.
    """
    stored = stored_settings(tx)
    return _set(tx, file_config, stored, stored | {key: _json(value) for key, value in values.items()}, who)


def forget(tx: Transaction, file_config: Config, keys: tuple[str, ...], who: str) -> tuple[str, ...]:
    """Remove the settings of these keys, so that `cabinet.toml` applies again; return and raise as `change`."""
    stored = stored_settings(tx)
    return _set(tx, file_config, stored, {key: value for key, value in stored.items() if key not in keys}, who)


def _set(
    tx: Transaction, file_config: Config, before: Mapping[str, str], after: Mapping[str, str], who: str
) -> tuple[str, ...]:
    was, becomes = fitted(file_config, before), fitted(file_config, after)
    known = {problem.key for problem in was.unfit}
    touched = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    refused = [problem for problem in becomes.unfit if problem.key in touched or problem.key not in known]
    values = {key: (value_at(was.config, key), value_at(becomes.config, key)) for key in touched}
    differ = {key for key, (old, new) in values.items() if old != new} | {problem.key for problem in refused}
    if any(matches(key, MONEY) for key in differ) and (reason := locked_by(tx)):
        raise RefusedError(reason)
    if refused:
        raise RefusedError(_refusal(refused[0]))
    if playable(was.config.games) and not playable(becomes.config.games):
        raise RefusedError(NO_GAME_LEFT)
    changed = []
    for key, (old, new) in values.items():
        if old == new and key in after and key not in known:
            continue
        record_change(tx, key, _json(old), _json(new), who, forget=key not in after)
        changed.append(key)
    if was.config.games != becomes.config.games:
        leave_game(tx)
    return tuple(changed)


def _json(value: Value) -> str:
    return msgspec.json.encode(value).decode()


def _refusal(problem: Problem) -> str:
    """Return the screen's message for a value that does not fit; the check's own text names keys and is in English."""
    if problem.key in _PLACES:
        return PLACE_TAKEN
    if problem.kind is Misfit.VALUE:
        return OUTSIDE
    if problem.kind is Misfit.EMPTY_LIST:
        return ONE_STAYS
    by_key = {
        "games.enabled": FIRST_GAME,
        "games.default": FIRST_GAME,
        "games.coin_values_cents": FIRST_COIN,
        "games.default_coin_value_cents": FIRST_COIN,
        "coin_acceptor.coins_cents": DIVERTER,
        "cabinet.money.symbol": SIGN,
        "cabinet.money.decimal": SEPARATORS,
        "cabinet.money.thousands": SEPARATORS,
    }
    return by_key.get(problem.key, UNFIT)
