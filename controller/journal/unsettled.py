"""The unsettled state of the books: open items, device counters, payouts, and what features have (`JournalPart`).

The ledger alone does not settle it. The second copy stores it, so that a person decides, in books rebuilt from the
copy, about anything that devices may have done in the meantime.
"""

from collections.abc import Mapping

import msgspec

from controller.journal import counters, held_payouts, money, pulses
from controller.journal.carried_rows import Rows, rows_of, write_rows
from controller.journal.key_value import DEVICE_STATE
from controller.journal.open_items import LOST_TICKETS
from controller.journal.parts import unsettled_rows
from controller.journal.payouts import end_hopper_payout, open_payout
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

_ITEMS = f"resolution IS NULL AND (kind <> '{LOST_TICKETS}' OR amount_cents IS NULL)"
"""A known amount of lost tickets is left out, because it is recomputed from the meters."""
_IN_HAND = {
    "notes": "state = 'stacking'",
    "payouts": "item IS NOT NULL OR (state = 'open' AND kind = 'hopper' AND serial IS NOT NULL)",
}
_REASON = "the books were lost"

_encode = msgspec.json.Encoder(order="deterministic").encode


def unsettled(tx: Reader) -> dict[str, str]:
    """Return the state as JSON, by part."""
    parts = {
        "features": unsettled_rows(tx),
        "items": {"open_items": rows_of(tx, "open_items", _ITEMS)},
        "in_hand": {table: rows_of(tx, table, which, without=("follows",)) for table, which in _IN_HAND.items()},
        "counters": counters.device_counters(tx),
    }
    return {name: _encode(part).decode() for name, part in parts.items()}


def go_on_with(tx: Transaction, parts: Mapping[str, str]) -> None:
    """Write the state into rebuilt books; a person decides about anything that may have happened to it since then."""
    for name in ("features", "items", "in_hand"):
        write_rows(tx, msgspec.json.decode(parts[name], type=Rows))
    for device, state in msgspec.json.decode(parts["counters"], type=dict[str, str]).items():
        DEVICE_STATE.store(tx, device, state)
    money.doubt_coin_counters(tx)
    pulses.doubt(tx)
    money.note_given_up(tx, _REASON)  # its validator may still report its end
    held_payouts.in_doubt(tx)
    if open_payout(tx) is not None:
        end_hopper_payout(tx, "undecided", _REASON)
    tx.execute("UPDATE payouts SET paid_cents = 0")  # in these books; amounts paid earlier are in the meters alone
