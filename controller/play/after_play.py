"""Checks at the end of a round: whether its win is large, and whether the meters are plausible."""

import msgspec

from controller.configuration.cabinet_toml import Limits
from controller.faults import LARGE_WIN, METER_JUMP
from controller.journal import rounds
from controller.journal.event_catalogue import Event
from controller.journal.faults import raise_fault
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.periods import meter
from controller.journal.transaction import Transaction


class MoneyIn(msgspec.Struct, frozen=True):
    """The meters of money in, in cents."""

    coins: int = 0
    notes: int = 0


_AT_LAST_PLAY = Stored(SETTINGS, "money_in_at_last_play", MoneyIn)


def look_after_play(tx: Transaction, round_id: int, limits: Limits) -> None:
    """Raise the faults that the end of a settled round requires; call it once per round, after it was shown.

    A large win includes features and gambles of the whole round (B10). Implausibly large money in since the previous
    round means that a meter, or the device behind it, cannot be trusted (M8).
    """
    won = rounds.win_cents(tx, round_id)
    if 0 < limits.large_win_cents <= won:
        raise_fault(tx, LARGE_WIN, "game", event=Event.LARGE_WIN, round=round_id, won_cents=won)
    before, now = _AT_LAST_PLAY.read(tx) or MoneyIn(), _money_in(tx)
    if now == before:
        return
    tx.must_be_durable = True
    _AT_LAST_PLAY.write(tx, now)
    jumps = (
        ("coins", now.coins - before.coins, limits.coins_jump_cents),
        ("notes", now.notes - before.notes, limits.notes_jump_cents),
    )
    for kind, came, most in jumps:
        if came >= most:
            raise_fault(tx, METER_JUMP, kind, event=Event.METER_JUMP, round=round_id, came_cents=came, kind=kind)


def _money_in(tx: Transaction) -> MoneyIn:
    return MoneyIn(meter(tx, "coins_in"), meter(tx, "notes_in"))
