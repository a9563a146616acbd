"""A: the attendant's pages: the state of the cabinet, open items and payments."""

from collections.abc import Callable, Container, Iterator, Sequence

from controller.faults import SERVES, Clears, explain, place_in_words
from controller.journal import faults as journal_faults
from controller.journal import money
from controller.journal.actor import Role
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.held_payouts import DOUBT, held_cents
from controller.journal.open_items import JACKPOT, JACKPOT_VOID, LOST_TICKETS, OpenItem, Resolution, open_items
from controller.journal.payouts import begin_payout, confirm_hand_pay
from controller.journal.periods import meter
from controller.journal.reads import cabinet_row
from controller.journal.resolutions import resolve_item
from controller.journal.service_state import is_out_of_service, set_out_of_service
from controller.journal.transaction import Transaction
from controller.machine.states import State
from controller.service.page import Entry, Job, Line, MenuTransaction, Page, Submission, Tone, added_lines
from controller.service.serviced_machine import ServicedMachine
from ui.protocol.values import moment

OPEN, CLOSED = "open", "closed"
NOT_FITTED, WELL, TROUBLED, NO_SENSOR = "not fitted", "no fault", "a fault is present", "no sensor"
CONNECTED, NOT_CONNECTED = "connected", "not connected"
STILL_THERE, CLEAR, TECHNICIANS = "still there", "clear it", "only the technician may clear it"
CLEARED, RESOLVED = "It is cleared", "It is resolved"
OPEN_AGAIN, CLOSE = "Open the machine again", "Close the machine for players"
NOBODY_KNOWS = "nobody knows"
_UNKNOWN = "Nobody knows this amount: the technician must decide"
_UNPROVED = "This amount is not proved: the technician must decide"
PAID, DONE = "It is paid", "It is done"
WAIT_NO_MORE = "Its end becomes an open item. Is the acceptor clear, or out of order?"
NOTE_GIVEN_UP = "The validator waits no more: look at the open items"
VOID_REASONS = ("found nothing", "counted twice", "player was paid before", "test by a technician")
"""The reasons for voiding an item: a list, since the panel has no letters."""

WHAT = {
    "coins_lost": "Coins that may have been lost",
    "coins_forgotten": "Coins that may have been forgotten",
    "coins_recount": "Coins that came since the backup",
    "demo_coins": "Coins came in while no money counts",
    "note_unknown": "A note of which nobody knows where it is",
    "ticket_unknown": "A ticket of which nobody knows where it is",
    LOST_TICKETS: "Tickets of lost books",
    "note_unexpected": "A note that was stacked unasked",
    "pulses_unknown": "Pulses that prove no amount",
    "pulses_missed": "Money that nobody counted",
    "note_returned_after_credit": "A note came back after its credit",
    "payout_undecided": "Coins that may have been paid",
    "payout_held": "Coins that may have been paid: held",
    "payout_rest": "Held money of a player",
    JACKPOT: "Jackpot of an earlier epoch",
    JACKPOT_VOID: "Jackpot of a void round",
    "hopper_overpaid": "The hopper gave too many coins",
    "hopper_recount": "The hopper may have given coins unasked",
}
"""The labels of each kind of open item; the text in the ledger is the detail."""

PAY_BY_HAND = "Pay this amount to the player by hand?"
_BUSY = frozenset(
    {
        State.RECOVERING,
        State.ROUND,
        State.OFFER,
        State.GAMBLE_OFFER,
        State.GAMBLE,
        State.COLLECTING,
        State.HANDPAY,
    }
)
_QUESTIONS = {
    Resolution.PAID: PAY_BY_HAND,
    Resolution.LEFT: "Take this amount off the credit?",
    Resolution.RETURNED: "Is the money back with its owner?",
    Resolution.VOID: "Close this item without payment?",
    Resolution.KEPT: "Had no coin at all left the hopper?",
    Resolution.CREDITED: "Put this amount on the credit?",
}
_HAD_LEFT = "Had coins of this amount left the hopper?"
_OF_LOST_TICKETS = {
    Resolution.RETURNED: ("Take all held tickets again", "Did surely none of them come back before?"),
    Resolution.VOID: ("Nothing more is owed", "Close this item, and void every ticket that is still held?"),
}
"""The labels and questions about all tickets of lost books together."""
_NAMES = {
    Resolution.PAID: "Pay by hand",
    Resolution.LEFT: "Coins had left the hopper",
    Resolution.RETURNED: "Money was returned",
    Resolution.VOID: "Nothing is owed",
    Resolution.KEPT: "No coin had left the hopper",
    Resolution.CREDITED: "Put it on the credit",
}


def _status(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    active = journal_faults.active_faults(tx)
    drawn = machine.screen.connected
    doors = [
        Line("{place}", OPEN if is_open else CLOSED, tone=_tone(good=not is_open), place=place_in_words(name))
        for name, is_open in sorted(machine.conditions.doors.items())
    ]
    troubled = {fault.place for fault in active}
    warm = machine.thermometer()
    return (
        Line("Credit", cents=tx.credit_cents),
        *_held(tx),
        *doors,
        *_money_devices(machine, troubled),
        *(
            Line(explain(fault.code).text, moment(fault.since_ms), tone="bad", place=place_in_words(fault.place))
            for fault in active
        ),
        *(() if active else (Line("Nothing to clear", tone="good"),)),
        Line("Open items", count=len(open_items(tx)), leads="A.8"),
        Line("Rows in the journal", count=tx.head[0]),
        Line("Temperature", NO_SENSOR if warm is None else f"{warm:.0f} °C"),
        Line("Display", CONNECTED if drawn else NOT_CONNECTED, tone=_tone(good=drawn)),
        Line("Power-ups", count=meter(tx, "power_ups")),
        Line("Powered-on minutes", count=cabinet_row(tx).powered_minutes),
    )


def _money_devices(machine: ServicedMachine, troubled: Container[str]) -> Iterator[Line]:
    """Yield the status line of each money device, pulse acceptors only if wired; faults have their own lines."""
    config = machine.settings.config
    wired = {f"pulse_{name}" for name in config.pins.pulse}
    fitted = wired | {name for name in SERVES if getattr(config, name, None) is not None}
    for name in SERVES:
        place = place_in_words(name)
        if name in fitted:
            well = name not in troubled
            yield Line("{place}", WELL if well else TROUBLED, tone=_tone(good=well), place=place)
        elif not name.startswith("pulse_"):
            yield Line("{place}", NOT_FITTED, place=place)


def _tone(*, good: bool) -> Tone:
    return "good" if good else "bad"


def _is_attendant(machine: ServicedMachine) -> bool:
    """Whether the page is read with the attendant's key."""
    actor = machine.actor
    return actor is not None and actor.role is Role.ATTENDANT


def _lock_ups(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the faults; those that this role may clear and whose cause is gone lead to clearing them."""
    lines = []
    for fault in journal_faults.active_faults(tx):
        kind = explain(fault.code)
        place = place_in_words(fault.place)
        if fault.present:
            lines.append(Line(kind.text, STILL_THERE, tone="bad", place=place))
        elif kind.clears is Clears.TECHNICIAN and _is_attendant(machine):
            lines.append(Line(kind.text, TECHNICIANS, tone="bad", place=place))
        else:
            lines.append(Line(kind.text, CLEAR, leads=_clears(fault.code, fault.place, kind.clears), place=place))
    return lines or (Line("Nothing to clear", tone="good"),)


def _clears(code: str, place: str, clears: Clears) -> MenuTransaction:
    def do(tx: Transaction, submission: Submission) -> str:
        if clears is Clears.TECHNICIAN and submission.who is not Role.TECHNICIAN:
            raise RefusedError("Only the technician may clear this")
        if any(
            fault.present for fault in journal_faults.active_faults(tx) if (fault.code, fault.place) == (code, place)
        ):
            raise RefusedError("It is still there: mend it first")
        journal_faults.clear_fault(tx, code, place, submission.who)
        return CLEARED

    return MenuTransaction(do)


def _items(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    lines = [*_note_on_its_way(tx)]
    for item in open_items(tx):
        what, opened = WHAT.get(item.kind, item.text), moment(item.opened_ms)
        proved = item.amount_cents if item.proved else None
        lines.append(Line(what, opened, cents=proved, tone="heading", detail=item.text))
        lines += [] if item.proved else _bounds(item)
        if item.wants_technician(machine.settings.config.limits.open_item_cents) and _is_attendant(machine):
            lines.append(Line("Only the technician may decide this", tone="bad"))
        else:
            lines += [Line(_labelled(item, way)[0], leads=_resolves(item, way, machine)) for way in item.ways]
            lines += [Line("Decide about each ticket", leads="A.10")] if item.kind == LOST_TICKETS else []
    return lines or (Line("Nothing is open", tone="good"),)


def _note_on_its_way(tx: Transaction) -> Iterator[Line]:
    """Yield the note or ticket whose result the validator has not reported, and the action to stop waiting for it."""
    note = money.note_in_hand(tx)
    if note is not None and note.state == "stacking":
        yield Line("A note or ticket is on its way", cents=note.value_cents, tone="heading")
        yield Line("Wait for it no more", leads=Job(_gives_note_up, question=WAIT_NO_MORE, confirmations=1))


async def _gives_note_up(machine: ServicedMachine, submission: Submission) -> str:
    """Turn the note into an open item, and let the validator stop waiting for its result."""

    def recorded(tx: Transaction) -> None:
        note = money.note_in_hand(tx)
        if note is None or note.state != "stacking":
            raise RefusedError("No note is on its way any more")
        tx.event(Event.NOTE_GIVEN_UP, place="bill validator", who=submission.name, value_cents=note.value_cents)
        money.note_given_up(tx, "a person waits for its end no more")

    await machine.journal.attempt(recorded)
    await machine.journal.reload()
    if machine.give_note_up is not None:
        machine.give_note_up()
    return NOTE_GIVEN_UP


def _bounds(item: OpenItem) -> list[Line]:
    """Return the known bounds of an unproven amount."""
    most = Line("At most", NOBODY_KNOWS) if item.amount_cents is None else Line("At most", cents=item.amount_cents)
    return [Line("At least", cents=item.least_cents), most]


def _resolves(item: OpenItem, way: Resolution, machine: ServicedMachine) -> MenuTransaction:
    """Return the action that resolves an item; one that moves money is confirmed twice.

    A large or unproven amount needs a person with a PIN. The maximum is the credit limit, since a player cannot have
    lost more at once.
    """

    def do(tx: Transaction, submission: Submission) -> str:
        cents, limits = int(submission.typed.get("amount") or 0), machine.settings.config.limits
        if item.is_exact:
            cents = item.amount_cents or 0
        most = None if item.proved else limits.credit_cents
        if submission.who is not Role.TECHNICIAN:
            if item.for_technician:
                raise RefusedError(_UNKNOWN if item.amount_cents is None else _UNPROVED)
            if cents > limits.open_item_cents:
                raise RefusedError("Above {most_cents} the technician must do it", most_cents=limits.open_item_cents)
        reason = submission.typed.get("reason", "")
        resolve_item(tx, item.id, way, submission.who, amount_cents=cents, most_cents=most, reason=reason)
        return RESOLVED

    entries: tuple[Entry, ...] = ()
    if way.moves_money and not item.is_exact:
        entries = (Entry("amount", "Amount", "cents"),)
    elif way is Resolution.VOID:
        entries = (Entry("reason", "Reason", "choice", VOID_REASONS),)
    is_grave = way.moves_money or item.kind in (DOUBT, LOST_TICKETS)
    return MenuTransaction(do, entries, _labelled(item, way)[1], confirmations=2 if is_grave else 1)


def _labelled(item: OpenItem, way: Resolution) -> tuple[str, str]:
    """Return the label of a way of resolving an item, and the question that confirms it."""
    if item.kind == LOST_TICKETS:
        return _OF_LOST_TICKETS[way]
    return _NAMES[way], _HAD_LEFT if item.kind == DOUBT and way is Resolution.LEFT else _QUESTIONS[way]


def in_play(machine: ServicedMachine) -> tuple[Line, ...]:
    """Return the line shown instead of actions during a round or payout; empty outside of both."""
    return (Line("A game or a payout is in progress", tone="bad"),) if machine.states.state in _BUSY else ()


def _cancel_credit(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    if busy := in_play(machine):
        return busy
    held = (*_held(tx), *added_lines("A.2", tx, machine))
    if not tx.credit_cents:
        return (Line("There is no credit", tone="good"), *held)
    pay = MenuTransaction(_pays(tx.credit_cents), question="Pay the whole credit by hand?", confirmations=2)
    return (Line("Credit", cents=tx.credit_cents), Line("Pay by hand", cents=tx.credit_cents, leads=pay), *held)


def _held(tx: Transaction) -> tuple[Line, ...]:
    """Return the amounts held from payouts, with a link to their open items; empty if there are none."""
    cents = held_cents(tx)
    return (Line("Held from payouts", cents=cents, tone="bad", leads="A.8"),) if cents else ()


def _pays(asked_cents: int) -> Callable[[Transaction, Submission], str]:
    """Return the action that pays exactly the credit shown on the screen."""

    def pay(tx: Transaction, _submission: Submission) -> str:
        if tx.credit_cents != asked_cents:
            raise RefusedError("The credit has changed: look again")
        begin_payout(tx, "hand_pay", asked_cents)
        confirm_hand_pay(tx)
        return PAID

    return pay


def _closing(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    if busy := in_play(machine):
        return busy
    closed = is_out_of_service(tx)
    action = MenuTransaction(lambda tx, submission: _close(tx, submission, closed=not closed))
    return (Line("The machine is", CLOSED if closed else OPEN), Line(OPEN_AGAIN if closed else CLOSE, leads=action))


def _close(tx: Transaction, submission: Submission, *, closed: bool) -> str:
    set_out_of_service(tx, closed=closed, who=submission.who)
    return DONE


PAGES = (
    Page("A.1", "Status", _status),
    Page("A.2", "Cancel credit", _cancel_credit),
    Page("A.3", "Clear lock-up", _lock_ups),
    Page("A.7", "Out of service", _closing),
    Page("A.8", "Open items", _items),
)
