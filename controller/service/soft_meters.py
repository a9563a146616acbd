"""The soft meters: the label of each on M.1 and M.2, what it counts, and which ledger rows raise it.

`cabinet meters` writes `docs/meters.md` from this module.
"""

from collections.abc import Mapping
from typing import NamedTuple

from controller.journal.transaction import HARD_METER_OF, SUBTRACTED_FROM


class SoftMeter(NamedTuple):
    """A meter: its label, what it counts, the kinds of ledger rows that raise it, and the page that lists them.

    A meter without a `label` is on neither M.1 nor M.2.
    """

    label: str
    counts: str
    kinds: tuple[str, ...]
    listed: str = ""


MONEY: Mapping[str, SoftMeter] = {
    "stakes": SoftMeter(
        "Coin in (stakes)", "every bet and the price of a bought feature, not what is gambled", ("stake",), "H.1"
    ),
    "wins": SoftMeter("Coin out (wins)", "every win, jackpots included", ("win", "open_item"), "H.1"),
    "coins_in": SoftMeter("Coins in", "coins that were credited", ("coin",), "H.3"),
    "notes_in": SoftMeter("Notes in", "notes that were credited", ("note",), "H.3"),
    "found_in": SoftMeter("Found in the machine", "money of open items that was paid by hand", ("open_item",), "A.8"),
    "service_credit": SoftMeter("Service credit", "credit that a person gave (A.4)", ("service_credit",), "H.2"),
    "hopper_out": SoftMeter(
        "Paid by the hopper", "coins that the hopper paid to a player", ("hopper_coin", "open_item"), "H.4"
    ),
    "hand_pay": SoftMeter(
        "Paid by hand", "credit and open items that an attendant paid", ("hand_pay", "open_item"), "H.4"
    ),
    "credits_voided": SoftMeter("Credits voided", "credit that a technician took away", ("credits_voided",), "H.2"),
    "stakes_voided": SoftMeter("Stakes of void rounds", "stakes given back with a void round", ("void",), "H.1"),
    "wins_voided": SoftMeter("Wins of void rounds", "wins taken back with a void round", ("void",), "H.1"),
    "payouts_held": SoftMeter(
        "Held from payouts", "credit that may have left a hopper which does not answer", ("payout_held",), "A.8"
    ),
    "held_released": SoftMeter(
        "Held and released", "what of that went back to the credit, or was settled", ("held_released",), "A.8"
    ),
    "host_in": SoftMeter("Transferred in by the host", "credit that a host gave", ("host_in",), "H.7"),
    "host_out": SoftMeter("Transferred out to the host", "credit that a host took", ("host_out",), "H.7"),
    "tickets_in": SoftMeter("Tickets in", "tickets that came in", ("ticket_in", "open_item"), "H.8"),
    "tickets_out": SoftMeter("Tickets out", "tickets that were printed", ("ticket_out",), "H.8"),
    "demo_in": SoftMeter("Free credits of demo mode", "credit that demo mode gave", ("demo_credit",)),
    "demo_out": SoftMeter("Free credits taken back", "credit that the end of demo mode took", ("demo_credit",)),
}
STORE: Mapping[str, SoftMeter] = {
    "notes_stored": SoftMeter(
        "Notes to the store", "notes that went to or past a recycler's store", ("note", "open_item")
    ),
    "notes_unstored": SoftMeter(
        "From the store to the cash box", "notes that fell from there into the cash box", ("store_boxed",)
    ),
    "hopper_emptied": SoftMeter(
        "From the hopper to the cash box", "coins that fell from a hopper into the cash box", ("store_boxed",)
    ),
}
"""Shown if they were ever counted."""
COUNTS: Mapping[str, SoftMeter] = {
    "games": SoftMeter("Games played", "rounds that were staked", ("stake",), "H.1"),
    "hopper_coins": SoftMeter("Coins paid by the hopper", "coins of `hopper_out`", ("hopper_coin", "open_item"), "H.4"),
    "hand_pays": SoftMeter("Hand-pays", "payments by hand", ("hand_pay", "open_item"), "H.4"),
    "power_ups": SoftMeter("Power-ups", "starts of the program", ("event",), "H.2"),
    "door_main": SoftMeter("Main door openings", "openings", ("event",), "H.2"),
    "door_cash_box": SoftMeter("Cash-box door openings", "openings", ("event",), "H.2"),
    "door_logic": SoftMeter("Logic door openings", "openings, those without power as one", ("event",), "H.2"),
    "door_acceptor": SoftMeter("Acceptor door openings", "openings", ("event",), "H.2"),
    "door_meters": SoftMeter("Meter door openings", "openings", ("event",), "H.2"),
    "faults": SoftMeter("Faults", "faults, but for those that the next game clears", ("event",), "H.2"),
    "service_credits": SoftMeter("Service credits given", "acts of `service_credit`", ("service_credit",), "H.2"),
    "credit_voids": SoftMeter("Credits voided", "acts of `credits_voided`", ("credits_voided",), "H.2"),
    "host_ins": SoftMeter("Transfers in by the host", "transfers of `host_in`", ("host_in",), "H.7"),
    "host_outs": SoftMeter("Transfers out to the host", "transfers of `host_out`", ("host_out",), "H.7"),
    "tickets_taken": SoftMeter("Tickets taken", "tickets of `tickets_in`", ("ticket_in", "open_item"), "H.8"),
    "tickets_printed": SoftMeter("Tickets printed", "tickets of `tickets_out`", ("ticket_out",), "H.8"),
    "hopper_refill_coins": SoftMeter("Coins put into the hopper", "coins of refills (U.2)", ("event",), "H.2"),
    "collections": SoftMeter("Collections", "collections (U.3)", ("event",), "H.2"),
    "period_clears": SoftMeter("Period meters cleared", "periods ended without a collection (U.4)", ("event",), "H.2"),
}
VALUES: Mapping[str, SoftMeter] = {
    "coin": SoftMeter("Coins of", "coins of that value in cents", ("coin",), "H.3"),
    "note": SoftMeter("Notes of", "notes of that value in cents", ("note",), "H.3"),
}
"""The meters that count one value, by the prefix of their names."""
MONEY_BESIDE: Mapping[str, SoftMeter] = {
    "*.stakes": SoftMeter("", "`stakes` of the game of that name", ("stake",), "M.3"),
    "*.wins": SoftMeter("", "`wins` of that game, but for jackpots paid by hand", ("win",), "M.3"),
    "*.jackpots_paid": SoftMeter("", "what the cabinet's own jackpot of a game and coin value paid", ("event",), "M.8"),
    "*.jackpots_void_paid": SoftMeter("", "what of that was taken back with a void round", ("event",), "M.8"),
    "coins_to_hopper": SoftMeter("", "coins of `coins_in` that fell into the hopper", ("coin",), "H.3"),
    "coins_way_unknown": SoftMeter("", "coins of `coins_in` that fell an unknown way", ("coin",), "H.3"),
    "hopper_refill": SoftMeter("", "`hopper_refill_coins` in cents", ("event",), "H.2"),
    "own_tickets_in": SoftMeter(
        "", "`tickets_in` that this cabinet validates itself", ("ticket_in", "open_item"), "H.8"
    ),
    "own_tickets_out": SoftMeter("", "`tickets_out` that this cabinet validates itself", ("ticket_out",), "H.8"),
}
COUNTS_BESIDE: Mapping[str, SoftMeter] = {
    "*.games": SoftMeter("", "`games` of the game of that name", ("stake",), "M.3"),
    "*.voided": SoftMeter("", "`games_voided` of that game", ("void",), "H.1"),
    "*.jackpots": SoftMeter("", "hits of the cabinet's own jackpot of a game and coin value", ("event",), "M.8"),
    "*.jackpots_void": SoftMeter("", "those of them taken back with a void round", ("event",), "M.8"),
    "games_voided": SoftMeter("", "rounds that were voided", ("void",), "H.1"),
    "test_pulses_*": SoftMeter("", "pulses given in tests of that hard meter (T.7)", ("event",), "M.4"),
    "doubtful_test_pulses_*": SoftMeter("", "those of them that are doubtful after a cut or fault", ("event",), "M.4"),
}


def labels(meters: Mapping[str, SoftMeter]) -> dict[str, str]:
    """Return the label of each meter by its name."""
    return {name: meter.label for name, meter in meters.items()}


def hard_meter(name: str) -> str:
    """Return the hard meter that a soft meter feeds, with a minus if it is subtracted; empty if there is none."""
    return HARD_METER_OF.get(name) or (f"\u2212{SUBTRACTED_FROM[name]}" if name in SUBTRACTED_FROM else "")
