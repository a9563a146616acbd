"""Pulses owed to the hard meters: owed pulses are derived from the ledger's postings, given pulses are counted.

`owed` is in cents (in games for the games meter) not yet pulsed, `given` counts pulses, and `given_units` is their
total value. Pulses are given in batches. The transaction that begins a batch records how many pulses are `in_flight` on
each meter, before any coil is driven; a transaction after the last pulse counts them as given. In between, a note
beside the journal records the current pulse of each meter (`controller.journal.head`): it is written before each pulse
and not synced.

A batch that a start finds in flight was interrupted. A pulse that was begun and not ended counts as given and doubtful,
because the meter may or may not have stepped. Earlier pulses were given, later ones stay owed. After a power cut newer
notes may be lost: then pulses that stay owed may be given twice, and count as doubtful too.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec

from controller.journal.event_catalogue import Event
from controller.journal.reads import Reader
from controller.journal.transaction import Transaction

MOST_IN_BATCH = 20
"""The default limit of pulses per meter in a batch: two seconds at ten pulses a second."""


class Batch(NamedTuple):
    """Pulses in flight: the unique number of the batch, and the number of pulses for each meter."""

    number: int
    pulses: dict[str, int]


class Noted(msgspec.Struct, frozen=True, array_like=True):
    """The note beside the journal: the number of a batch, and how many pulses of each meter were begun and given.

    A pulse is begun as soon as its coil may be driven, and given once the coil is released.
    """

    batch: int
    begun: dict[str, int]
    given: dict[str, int]


class HardMeter(NamedTuple):
    """One hard meter: the amount owed, the pulses given, their total value, and how many of them are doubtful."""

    name: str
    owed: int = 0
    given: int = 0
    given_units: int = 0
    doubtful: int = 0


def hard_meters(books: Reader) -> dict[str, HardMeter]:
    """Return every hard meter that was ever owed something, by name."""
    rows = books.execute("SELECT name, owed, given, given_units, doubtful FROM hard_meters ORDER BY name")
    return {meter.name: meter for meter in map(HardMeter._make, rows)}


def go_on_from(tx: Transaction, meters: Collection[HardMeter]) -> None:
    """Take over the state of the hard meters from other books that owe them the same."""
    for meter in meters:
        tx.execute(
            "UPDATE hard_meters SET owed = ?, given = ?, given_units = ?, doubtful = ?, in_flight = 0 WHERE name = ?",
            (meter.owed, meter.given, meter.given_units, meter.doubtful, meter.name),
        )


def in_flight(tx: Transaction) -> Batch | None:
    """Return the batch in flight, or None."""
    rows = tx.execute("SELECT name, in_flight, batch FROM hard_meters WHERE in_flight > 0 ORDER BY name").fetchall()
    return Batch(rows[0][2], {name: pulses for name, pulses, _ in rows}) if rows else None


def begin_batch(
    tx: Transaction, units: Mapping[str, int], ready: Collection[str], most: int = MOST_IN_BATCH
) -> Batch | None:
    """Begin a batch of owed pulses and return it, or the batch in flight; return None if no pulse is due.

    `units` is the value of one pulse of each meter; a meter that is owed less than that, or is not `ready`, waits.
    """
    if begun := in_flight(tx):
        return begun
    pulses = {name: min(count, most) for name, count in due(tx, units, ready).items()}
    if not pulses:
        return None
    (commits,) = tx.execute("SELECT commits FROM cabinet").fetchone()
    for name, count in pulses.items():
        tx.execute("UPDATE hard_meters SET in_flight = ?, batch = ? WHERE name = ?", (count, commits + 1, name))
    return Batch(commits + 1, pulses)


def due(
    tx: Transaction, units: Mapping[str, int], ready: Collection[str], given: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Return how many pulses each `ready` meter is owed, less the `given` pulses that are not booked yet."""
    owed = dict(tx.execute("SELECT name, owed FROM hard_meters WHERE owed > 0").fetchall())
    pulses = {name: (owed.get(name, 0) - (given or {}).get(name, 0)) // units[name] for name in sorted(ready)}
    return {name: count for name, count in pulses.items() if count > 0}


def end_batch(tx: Transaction, units: Mapping[str, int], batch: Batch, given: Mapping[str, int]) -> None:
    """Book the `given` pulses of a batch, by meter; the rest stays owed."""
    for name in batch.pulses:
        _count(tx, units, name, given.get(name, 0))


def settle_cut_pulses(
    tx: Transaction, units: Mapping[str, int], noted: Noted | None = None, *, power_was_on: bool = False
) -> None:
    """Settle, at a start, an interrupted batch; `noted` is the note beside the journal.

    With `power_was_on` that note is the newest one, because only the program ended.
    """
    is_newest = power_was_on and noted is not None
    batch = in_flight(tx)
    if batch is None:
        return
    if noted is None or noted.batch != batch.number:
        noted = Noted(batch.number, {}, {})
    for name, pulses in batch.pulses.items():
        begun = min(noted.begun.get(name, 0), pulses)
        if begun > noted.given.get(name, 0):
            doubt_pulse(tx, name)
        _count(tx, units, name, begun)
        left = pulses - begun
        if left and not is_newest:
            tx.execute("UPDATE hard_meters SET doubtful = doubtful + ? WHERE name = ?", (left, name))
            tx.event(Event.PULSES_MAYBE_TWICE, place=name, pulses=left)


def doubt_pulse(tx: Transaction, name: str, reason: str = "") -> None:
    """Count a pulse as doubtful: for `reason`, or because the power was cut."""
    tx.execute("UPDATE hard_meters SET doubtful = doubtful + 1 WHERE name = ?", (name,))
    tx.event(Event.PULSE_DOUBTFUL if reason else Event.PULSE_CUT, place=name, reason=reason)


def doubt_pulses(tx: Transaction, units: Mapping[str, int]) -> None:
    """Count every whole pulse owed as given and doubtful, because it may have been given and must not be given twice.

    `units` is the value of one pulse of each meter; a remainder below a whole pulse stays owed.
    """
    for name, unit in units.items():
        tx.execute(
            "UPDATE hard_meters SET in_flight = 0, given = given + owed / ?1, doubtful = doubtful + owed / ?1,"
            " given_units = given_units + owed / ?1 * ?1, owed = owed % ?1 WHERE name = ?2",
            (unit, name),
        )


def _count(tx: Transaction, units: Mapping[str, int], name: str, given: int) -> None:
    tx.execute(
        "UPDATE hard_meters SET in_flight = 0, given = given + ?1, owed = owed - ?2, given_units = given_units + ?2"
        " WHERE name = ?3",
        (given, given * units[name], name),
    )
