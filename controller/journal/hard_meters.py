"""Pulses owed to the hard meters: what is owed is derived from the ledger's postings, what is given is counted.

`owed` is in cents (in games for the games meter) not yet pulsed, `given` counts pulses and `given_units` what they
meant. A pulse is `in_flight` from before the coil is driven until after it is released; one found in flight at start
had its power cut: nobody can say whether the meter stepped, so it counts as given and as doubtful, and is not repeated.
"""

from collections.abc import Collection, Mapping

from controller.journal.transaction import Transaction


def next_pulses(tx: Transaction, units: Mapping[str, int], ready: Collection[str]) -> frozenset[str]:
    """Count the pulses in flight as given, and return the meters whose next pulse is in flight now.

    `units` says what one pulse of each meter means; a meter that is owed less than that, or is not `ready`, waits. One
    transaction a pulse is all that a slow disk is asked for.
    """
    _land(tx, units)
    owed = dict(tx.execute("SELECT name, owed FROM hard_meters").fetchall())
    due = {name for name in ready if owed.get(name, 0) >= units[name]}
    for name in sorted(due):
        tx.execute("UPDATE hard_meters SET in_flight = 1 WHERE name = ?", (name,))
    return frozenset(due)


def settle_cut_pulses(tx: Transaction, units: Mapping[str, int]) -> None:
    """Record the pulses that were cut short, by the power or by a driver that failed."""
    for (name,) in tx.execute("SELECT name FROM hard_meters WHERE in_flight = 1").fetchall():
        tx.execute("UPDATE hard_meters SET doubtful = doubtful + 1 WHERE name = ?", (name,))
        tx.event("pulse_cut", f"power was cut while the {name} meter was pulsed", place=name)
    _land(tx, units)


def _land(tx: Transaction, units: Mapping[str, int]) -> None:
    for (name,) in tx.execute("SELECT name FROM hard_meters WHERE in_flight = 1").fetchall():
        unit = units[name]
        tx.execute(
            "UPDATE hard_meters SET in_flight = 0, given = given + 1, owed = owed - ?, given_units = given_units + ?"
            " WHERE name = ?",
            (unit, unit, name),
        )
