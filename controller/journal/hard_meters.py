"""Pulses owed to the hard meters: what is owed is derived from the ledger's postings, what is given is counted.

`owed` is in cents (in games for the games meter) not yet pulsed, `given` counts pulses and `given_units` what they
meant. A pulse is `in_flight` from before the coil is driven until after it is released; one found in flight at start
had its power cut: nobody can say whether the meter stepped, so it counts as given and as doubtful, and is not repeated.
One that was told to have had no current at all stays owed.
"""

from collections.abc import Collection, Iterable, Mapping

from controller.journal.transaction import Transaction


def next_pulses(tx: Transaction, units: Mapping[str, int], ready: Collection[str]) -> frozenset[str]:
    """Count the pulses in flight as given, and return the meters whose next pulse is in flight now.

    `units` says what one pulse of each meter means; a meter that is owed less than that, or is not `ready`, waits. One
    transaction a pulse is all that a slow disk is asked for.
    """
    _land(tx, units, _in_flight(tx))
    owed = dict(tx.execute("SELECT name, owed FROM hard_meters").fetchall())
    due = {name for name in ready if owed.get(name, 0) >= units[name]}
    for name in sorted(due):
        tx.execute("UPDATE hard_meters SET in_flight = 1 WHERE name = ?", (name,))
    return frozenset(due)


def settle_cut_pulses(tx: Transaction, units: Mapping[str, int]) -> None:
    """Record, at a start, the pulses that the power cut short."""
    cut = {name: f"power was cut while the {name} meter was pulsed" for name in _in_flight(tx)}
    settle_doubtful_pulses(tx, units, cut)


def settle_doubtful_pulses(tx: Transaction, units: Mapping[str, int], reasons: Mapping[str, str]) -> None:
    """Record pulses of which nobody can say whether the meter stepped, with the reason for each meter's."""
    for name, reason in sorted(reasons.items()):
        tx.execute("UPDATE hard_meters SET doubtful = doubtful + 1 WHERE name = ?", (name,))
        tx.event("pulse_cut", reason, place=name)
    _land(tx, units, reasons)


def doubt_pulses(tx: Transaction, units: Mapping[str, int]) -> None:
    """Count every whole pulse that is owed as given and doubtful: it may have been given, and is not given twice.

    `units` says what one pulse of each meter means; what a meter is owed beyond whole pulses it is still owed.
    """
    for name, unit in units.items():
        tx.execute(
            "UPDATE hard_meters SET in_flight = 0, given = given + owed / ?1, doubtful = doubtful + owed / ?1,"
            " given_units = given_units + owed / ?1 * ?1, owed = owed % ?1 WHERE name = ?2",
            (unit, name),
        )


def take_back_pulses(tx: Transaction, names: Iterable[str]) -> None:
    """Leave the pulses owed that were in flight and had no current."""
    for name in sorted(names):
        tx.execute("UPDATE hard_meters SET in_flight = 0 WHERE name = ?", (name,))


def _in_flight(tx: Transaction) -> list[str]:
    return [name for (name,) in tx.execute("SELECT name FROM hard_meters WHERE in_flight = 1 ORDER BY name")]


def _land(tx: Transaction, units: Mapping[str, int], names: Iterable[str]) -> None:
    for name in names:
        unit = units[name]
        tx.execute(
            "UPDATE hard_meters SET in_flight = 0, given = given + 1, owed = owed - ?, given_units = given_units + ?"
            " WHERE name = ? AND in_flight",
            (unit, unit, name),
        )
