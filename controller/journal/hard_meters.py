"""Pulses owed to the hard meters: what is owed is derived from the ledger's postings, what is given is counted.

`owed` is in cents (in games for the games meter) not yet pulsed, `given` counts pulses and `given_units` what they
meant. A pulse is `in_flight` from before the coil is
driven until after it is released; one found in flight at start had its power cut: nobody can say whether the meter
stepped, so it counts as given and as doubtful, and is not repeated.
"""

from controller.journal.transaction import Transaction


def next_pulse(tx: Transaction, units: dict[str, int]) -> str | None:
    """Return a meter that is owed a whole pulse of `units[meter]`, now recorded as in flight; None if none is."""
    for name, owed in tx.execute("SELECT name, owed FROM hard_meters ORDER BY name").fetchall():
        if name in units and owed >= units[name]:
            tx.execute("UPDATE hard_meters SET in_flight = 1 WHERE name = ?", (name,))
            return str(name)
    return None


def pulse_given(tx: Transaction, name: str, unit: int) -> None:
    """The pulse in flight has been given."""
    tx.execute(
        "UPDATE hard_meters SET in_flight = 0, given = given + 1, owed = owed - ?, given_units = given_units + ?"
        " WHERE name = ? AND in_flight = 1",
        (unit, unit, name),
    )


def settle_cut_pulses(tx: Transaction, units: dict[str, int]) -> None:
    """Record the pulses whose power was cut, at start."""
    for (name,) in tx.execute("SELECT name FROM hard_meters WHERE in_flight = 1").fetchall():
        unit = units.get(name, 0)
        tx.execute(
            "UPDATE hard_meters SET doubtful = doubtful + 1 WHERE name = ?",
            (name,),
        )
        pulse_given(tx, name, unit)
        tx.event("pulse_cut", f"power was cut while the {name} meter was pulsed", place=name)
