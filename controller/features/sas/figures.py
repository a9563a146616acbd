"""A copy of the journal's figures for hosts, updated after each durable transaction, so that polls need no query.

A poll must be answered within 20 ms, and a commit on a memory card can take longer.
"""

from collections.abc import Mapping

import msgspec

from controller.faults import DOOR_CLOSED
from controller.journal import totals
from controller.journal.ledger import Entry
from controller.journal.periods import CLEARED, COLLECTION, lifetime, since_collection
from controller.journal.transaction import Transaction

POWER_UP = "power_up"
_PERIOD_ENDS = frozenset((COLLECTION, CLEARED))


class Round(msgspec.Struct, frozen=True):
    """The newest round: its number, game, state and win."""

    id: int = 0
    game: str = ""
    state: str = ""
    win_cents: int = 0


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """All meters by name, lifetime and since the last collection, with the further counts that hosts read.

    `lost` counts the settled rounds without a win.
    """

    credit_cents: int = 0
    meters: Mapping[str, int] = {}
    collected: Mapping[str, int] = {}
    won: int = 0
    lost: int = 0
    games_at_power_up: int = 0
    games_at_door: int = 0
    round: Round = Round()
    last_note_cents: int = 0

    def __getitem__(self, name: str) -> int:
        """Return a meter's value, 0 if it was never counted."""
        return self.meters.get(name, 0)

    @property
    def games_since_power_up(self) -> int:
        """The games started since the program started."""
        return self["games"] - self.games_at_power_up

    @property
    def games_since_door(self) -> int:
        """The games started since the main door was closed."""
        return self["games"] - self.games_at_door

    def since_collection(self, name: str) -> int:
        """Return what a meter has counted since the last collection."""
        return self[name] - self.collected.get(name, 0)


def read_figures(tx: Transaction) -> Figures:
    """Read all figures from the journal."""
    meters = lifetime(tx)
    period = since_collection(tx)
    sizes = totals.win_sizes(tx)
    lost = sizes.pop(0)
    return Figures(
        credit_cents=tx.credit_cents,
        meters=meters,
        collected={name: value - period[name] for name, value in meters.items()},
        won=sum(sizes.values()),
        lost=lost,
        games_at_power_up=meters.get("games", 0) - totals.games_since(tx, POWER_UP, ""),
        games_at_door=meters.get("games", 0) - totals.games_since(tx, DOOR_CLOSED, "main"),
        round=newest_round(tx),
        last_note_cents=_last_note_cents(tx),
    )


def _last_note_cents(tx: Transaction) -> int:
    """Return the value of the newest credited note, 0 before the first."""
    row = tx.execute(
        "SELECT value_cents FROM notes WHERE state IN ('credited', 'acknowledged') ORDER BY id DESC LIMIT 1"
    ).fetchone()
    return 0 if row is None else int(row[0])


def newest_round(tx: Transaction) -> Round:
    """Return the newest round; before the first, a `Round` with id 0."""
    row = tx.execute("SELECT id, game, state, win_cents FROM rounds ORDER BY id DESC LIMIT 1").fetchone()
    return Round() if row is None else Round(*row)


def advanced(figures: Figures, tx: Transaction) -> Figures:
    """Return the figures after one more transaction, computed from its new ledger rows."""
    newest = newest_round(tx)
    if not tx.entries and newest == figures.round:
        return figures
    meters = dict(figures.meters)
    games_at_power_up, games_at_door, collected = (
        figures.games_at_power_up,
        figures.games_at_door,
        figures.collected,
    )
    last_note_cents = figures.last_note_cents
    for entry in tx.entries:
        if entry.kind == "note":
            last_note_cents = entry.credit_delta
        for name, amount in entry.meters.items():
            meters[name] = meters.get(name, 0) + amount
        games, code = meters.get("games", 0), _code(entry)
        if code == POWER_UP:
            games_at_power_up = games
        elif code == DOOR_CLOSED and entry.data.get("place") == "main":
            games_at_door = games
        elif code in _PERIOD_ENDS:
            collected = dict(meters)
    settled = newest.state == "settled" and newest != figures.round
    return msgspec.structs.replace(
        figures,
        credit_cents=tx.credit_cents,
        meters=meters,
        collected=collected,
        won=figures.won + (settled and newest.win_cents > 0),
        lost=figures.lost + (settled and newest.win_cents == 0),
        games_at_power_up=games_at_power_up,
        games_at_door=games_at_door,
        round=newest,
        last_note_cents=last_note_cents,
    )


def _code(entry: Entry) -> str:
    return str(entry.data["code"]) if entry.kind == "event" else ""
