"""The catalogue of events: the code under which each is logged, and the template of its words.

A template's figures are filled in by name when the event is shown: figures whose names end in `_cents` are amounts,
texts are translated if a translation exists, and `{place}` is the event's place. Faults are events too; their words are
in `controller.faults`.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache, cached_property
from string import Formatter

from controller import feature

_COUNTER = "(counter {before} to {now}, buffer {holds}, before it {held})"


class EventKind(Enum):
    """A kind of event. The ledger stores its `code` and `key` with the figures; one code may have several keys."""

    def __init__(self, code: str, template: str) -> None:
        self.code = code
        self.template = template

    @property
    def key(self) -> str:
        """The key that the ledger stores instead of the words; renaming a member makes older rows unreadable."""
        return self.name.lower()

    @cached_property
    def fields(self) -> frozenset[str]:
        """The names of the figures in the template."""
        return frozenset(name for _, name, _, _ in Formatter().parse(self.template) if name is not None)


class Event(EventKind):
    """The events of the core; each feature has its own (`Feature.events`)."""

    # power and program
    POWER_UP = "power_up", "The program {how}"
    RESTARTED = "power_reset", "The program {how}"
    CRASHED = "program_crash", "The program {how}"
    STOPPED = "stopped", "The program was stopped in order"
    DEPARTURE = "departure", "By the {who}: {what}"
    CLOCK_SET = "clock_set", "Clock set by the {who}: from {before} to {after}"
    CLOCK_NOT_SET = "clock_not_set", "The clock could not be set: {reason}"
    CLOCK_JUMPED = "clock_jumped", "The clock jumped from {before} to {after}"
    CLOCK_WENT_BACK = "clock_jumped", "The clock went back while the machine was off: from {before} to {after}"
    ROUND_RECOVERED = "round_recovered", "Round {round} of {game}, interrupted after step {step}: {how}"
    # doors
    OPENED_UNPOWERED = "logic_access", "The {place} was opened while the power was off"
    OPENED_UNSEEN = "logic_access", "The {place} was opened, and its switch did not report it"
    LATCH_RESET = "latch_reset", "The latch of the {place} was reset"
    CUT_WIRE_OF_DOOR = "unsafe_wiring", "A cut wire of the {place} would read as shut: see {setting}"
    CUT_WIRE_OF_KEY = "unsafe_wiring", "A cut wire of the {place} would read as turned: see {setting}"
    CUT_WIRE_OF_LATCH = "unsafe_wiring", "A cut wire of the {place} would read as not set: see {setting}"
    # access
    MENU_OPENED = "service_menu", "Service menu opened by the {who}"
    MENU_CLOSED = "service_menu", "Service menu closed: {why} ({who})"
    KEY_ON_AT_START = "key_turned", "The key of the {place} was on when the machine started"
    PIN_GRANTED = "pin_granted", "PIN of {name}: right"
    PIN_WRONG = "pin_wrong", "PIN of {name}: wrong"
    PIN_BARRED = "pin_barred", "PIN of {name}: barred after too many wrong ones"
    PIN_CHANGED = "pin_changed", "PIN of {name} changed"
    PIN_LOST = "pin_lost", "PIN of {name} is lost: give a new one (C.7)"
    PERSON_ADDED = "person_added", "{name} was added as {role}"
    PERSON_RENAMED = "person_renamed", "{old} is now called {name}"
    PERSON_BARRED = "person_barred", "{name} was barred"
    PERSON_ADMITTED = "person_admitted", "{name} was admitted again"
    PERSON_HAS_PIN = "person_kept", "Of the restored books, {name} has a PIN at this machine"
    PERSON_HAS_NO_PIN = "person_kept", "Of the restored books, {name} has no PIN at this machine"
    CARD_WAIVED = "card_waived", "{name} has no card: PIN alone, with the logic door open"
    DISPLAY_REFUSED = "display_refused", "A program at the screen's socket was cut off: {reason}"
    GAME_UNFIT = "game_unfit", "{game} does not pass its check and is not offered: {reason}"
    ATTENDANT_CALLED = "service_call", "The player has called the attendant"
    CALL_ENDED = "service_call", "The call for the attendant has ended"
    CLOSED_FOR_PLAYERS = "out_of_service", "Closed for players by the {who}"
    OPENED_FOR_PLAYERS = "out_of_service", "Opened for players by the {who}"
    # money
    LARGE_WIN = "large_win", "Large win of {won_cents} in round {round}"
    METER_JUMP = "meter_jump", "Since the round before {round}, {came_cents} in {kind}: more than can be"
    PAYOUT_BEGUN = "payout_begun", "Payout begun, {kind}: {amount_cents}"
    PAID_ALL = "payout_ended", "The hopper paid all of {amount_cents}"
    PAID_PERHAPS_MORE = (
        "payout_ended",
        "The hopper paid {paid_cents} of {amount_cents}, and nobody knows whether it paid more",
    )
    PAID_PART = "payout_ended", "The hopper paid {paid_cents} of {amount_cents}: {state}"
    PAID_PART_BECAUSE = "payout_ended", "The hopper paid {paid_cents} of {amount_cents}: {state} ({reason})"
    HAND_PAY_CANCELLED = "payout_ended", "Hand-pay of {amount_cents} cancelled by the player"
    NOTE_RETURNED = "note_returned", "Note given back: {reason}"
    TICKET_PRINTED = "ticket", "Ticket {ticket} of {amount_cents} printed"
    TICKET_VOID = "ticket", "Ticket {ticket} of {amount_cents} is void: {reason}"
    LOST_TICKET_PAID = (
        "ticket",
        "Ticket {ticket} of {amount_cents} from before books were lost: paid by hand, says the {who}",
    )
    LOST_TICKET_TAKEN = (
        "ticket",
        "Ticket {ticket} of {amount_cents} from before books were lost: taken again, says the {who}",
    )
    LOST_TICKET_VOID = (
        "ticket",
        "Ticket {ticket} of {amount_cents} from before books were lost: void, says the {who} ({reason})",
    )
    TICKET_RETURNED = "ticket", "Ticket {ticket} given back: {reason}"
    COINS_DIVERTED = "coins_diverted", "Coins fall from now on: {way}"
    COIN_ACCEPTOR_RESET = "coin_acceptor_reset", "The coin acceptor had lost power or was reset"
    COIN_REJECTED = "coin_rejected", "Coin rejected: {reason} (code {reject})"
    SERVICE_CREDIT = "service_credit", "Service credit given by the {who}: {amount_cents}"
    CREDITS_VOIDED = "credits_voided", "Credit of {amount_cents} voided by the {who}: {reason}"
    HOPPER_REFILL = "hopper_refill", "Put into the hopper by the {who}: {coins} coins of {value_cents}"
    STORE_WANTED = (
        "store_wanted",
        "Stored money to the cash box, wanted by the {who}: {held_cents} held, {keep_cents} kept",
    )
    STORE_MOVED = "store_moved", "Into the cash box from the store: {moved_cents}; {held_cents} are left"
    STORE_NOT_MOVED = (
        "store_moved",
        "Only {moved_cents} came into the cash box from the store, {held_cents} are left: {reason}",
    )
    COLLECTION = "collection", "Collected, and the period closed, by the {who}"
    PERIOD_CLEARED = "period_cleared", "Period meters cleared by the {who}"
    # the player's own limits
    # the host
    # open items
    COIN_BEYOND_ORDER = "open_item", "The hopper gave a coin of {value_cents} more than was ordered"
    PAYOUT_UNCOUNTED = "open_item", "Up to {rest_cents} may have left the hopper without being counted ({reason})"
    PAYOUT_UNCOUNTED_BY = (
        "open_item",
        "Up to {rest_cents} may have left hopper {serial} without being counted ({reason})",
    )
    PAYOUT_REST = "open_item", "{rest_cents} never left the hopper, and the machine has been played since"
    COINS_BEYOND_ORDER = (
        "open_item",
        "Coins beyond those ordered may have left the hopper without being counted ({reason})",
    )
    DEMO_COINS = "open_item", "Coins that came in while no money counts: {coins}"
    COINS_LOST = (
        "open_item",
        f"Events that the coin acceptor lost, perhaps coins: {{lost}}, worth up to {{most_cents}} {_COUNTER}",
    )
    COINS_LOST_UNBOUNDED = (
        "open_item",
        f"Events that the coin acceptor lost, perhaps coins: {{lost}}, worth nobody knows how much {_COUNTER}",
    )
    COINS_FORGOTTEN = (
        "open_item",
        f"The coin acceptor was reset while it took coins, and forgot up to {{most_cents}} {_COUNTER}",
    )
    COINS_FORGOTTEN_UNBOUNDED = (
        "open_item",
        f"The coin acceptor was reset while it took coins, and forgot nobody knows how much {_COUNTER}",
    )
    COINS_RECOUNTED = (
        "open_item",
        "The coin acceptor's counter was {before} in the restored backup and is {now}: coins came meanwhile",
    )
    PULSES_UNKNOWN = (
        "open_item",
        "Pulses of the {device} that stand for no value, or prove none: {pulses} on channel {channel}",
    )
    PULSES_MISSED = "open_item", "The {device} may have taken up to {most_cents} while nobody counted its pulses"
    PULSES_MISSED_UNBOUNDED = (
        "open_item",
        "The {device} may have taken nobody knows how much while nobody counted its pulses",
    )
    PULSES_CUT = "open_item", "The {device} was giving pulses on channel {channel} when the program or the power ended"
    NOTE_UNEXPECTED = "open_item", "The bill validator stacked a note that was not in escrow before"
    NOTE_GIVEN_UP = "note_given_up", "The {who} waits no more for the end of a note of {value_cents}"
    NOTE_LATE_STACKED = "note_late", "The note or ticket whose end was unknown is in the cash box: see its open item"
    NOTE_LATE_RETURNED = "note_late", "After a note or ticket whose end was unknown one was given back: {reason}"
    CREDITED_NOTE_RETURNED = (
        "open_item",
        "A note of {value_cents} that was credited or paid by hand was returned ({reason})",
    )
    NOTE_OF_OTHER_VALUE = "open_item", "A note was worth {before_cents} in escrow, and {after_cents} when stacked"
    NOTE_UNKNOWN = "open_item", "Nobody knows where a note of {value_cents} is: {reason}"
    TICKET_UNKNOWN = "open_item", "Nobody knows where a ticket of {value_cents} is: {reason}"
    TICKETS_OF_LOST_BOOKS = (
        "open_item",
        "Own tickets of {out_cents} were printed by the lost books and of {in_cents} taken: nobody knows which",
    )
    TICKETS_OF_LOST_ROWS = (
        "open_item",
        "Printed tickets of {cents} in books whose newest rows may be lost: {tickets}",
    )
    TICKETS_OF_ANOTHER_KEY = (
        "open_item",
        "Printed tickets of {cents} whose numbers are sealed with a key that this machine does not have: {tickets}",
    )
    HOPPER_RECOUNTED = (
        "open_item",
        "Hopper {serial} may have given coins unordered: its lifetime counter went from {before} to {after}",
    )
    MOVE_UNKNOWN = (
        "open_item",
        "An interrupted move out of hopper {serial} may have sent coins into the cash box that no count shows",
    )
    COINS_UNORDERED = "open_item", "Coins that left hopper {serial} and that no payout counted: {coins}"
    ITEM_MERGED = "open_item_resolved", "Open item {item} is now part of item {into}"
    ITEM_RESOLVED = "open_item_resolved", "Open item {item}: {way}, says the {who}"
    ITEM_RESOLVED_BECAUSE = "open_item_resolved", "Open item {item}: {way}, says the {who} ({reason})"
    ITEM_BOOKED = "open_item_resolved", "Open item {item}: {amount_cents} {way}, says the {who}"
    ITEM_BOOKED_BECAUSE = "open_item_resolved", "Open item {item}: {amount_cents} {way}, says the {who} ({reason})"
    # hard meters
    PULSE_CUT = "pulse_cut", "{place}: the power was cut during a pulse"
    PULSES_MAYBE_TWICE = "pulse_cut", "{place}: after a power cut up to {pulses} pulses may be given twice"
    PULSE_DOUBTFUL = "pulse_cut", "{place}: nobody can say whether it stepped ({reason})"
    # faults and settings
    FAULT_CLEARED = "fault_cleared", "{fault} (cleared by: {who})"
    CURRENCY = "currency", "The books were in {before}, and are in {now} from now on"
    FILE_AMOUNT_CHANGED = "setting", "{name} in cabinet.toml: {old_cents} \u2192 {new_cents}"
    FILE_SETTING_CHANGED = "setting", "{key} in cabinet.toml: {old} \u2192 {new}"
    AMOUNT_CHANGED = "setting", "{name}: {old_cents} \u2192 {new_cents} ({who})"
    SETTING_CHANGED = "setting", "{key}: {old} \u2192 {new} ({who})"
    VOLUME = "volume", "Volume, {name}: from {before} % to {percent} % by the {who}"
    SILENCED = "volume", "Sound switched off by the {who}"
    HEARD = "volume", "Sound switched on by the {who}"
    NETWORK_NOT_ON = "network", "{interface} could not be switched on: {reason}"
    NETWORK_NOT_OFF = "network", "{interface} could not be switched off: {reason}"
    DEVICE_FITTED = "device_fitted", "Fitted as {place}: {device}"
    DEVICE_REPLACED = "device_replaced", "Now fitted as {place}: {device}; before it: {before}"
    # books
    FULL_CLEAR = "full_clear", "Full clear by the {who} ({reason}): journal {generation} follows row {row}"
    ARCHIVE_PROVED = "archive_proved", "The archive {name} is proved whole, every round by replay"
    ARCHIVE_PROVED_IN_PART = (
        "archive_proved",
        "The archive {name} is proved whole; rounds of other mathematics: {rounds}",
    )
    ARCHIVE_MOVED = "archive_moved", "The archive {name} was moved to {stick} ({who})"
    DEMO_BEGUN = "demo_mode", "Demo mode begun by the {who}: no money counts until the next full clear"
    DEMO_GOES_ON = "demo_mode", "Demo mode goes on: no money counts until the next full clear"
    BOUND_AGAIN = (
        "identity",
        "Books bound to the key {key} in place of {before}, with a credit of {credit_cents}: {reason} ({who})",
    )
    BOUND = "identity", "Books bound to the key {key}: {reason} ({who})"
    RESTORED = "restored", "The backup of {made} (row {row}) was restored by the {who}"
    REBUILT = "rebuilt", "Rebuilt from the second copy at row {row} with a credit of {credit_cents}: {reason}"
    COPY_REPLACED = "second_copy", "The second copy was made anew, since it could not be used: {reason}"
    COPY_MISSING = "copy_missing", "The second copy that the books have is missing: {reason}"
    COPY_NONE = "second_copy", "The books have no second copy: name one on another medium (second_copy in cabinet.toml)"
    COPY_BEGUN = "second_copy", "The second copy was begun"
    COPY_BEGUN_ANEW = "second_copy", "The second copy was begun anew for these books"
    COPY_BEHIND_ARCHIVE = (
        "second_copy",
        "The second copy was begun anew: it ended at a row that was archived since",
    )
    JOURNAL_MARK = (
        "journal_mark",
        "The file that names the newest row of the books was missing: compare credit and meters",
    )
    # software
    # venue
    JACKPOT_PAID = "jackpot", "Jackpot of {game} at {coin_cents}, won in round {round}: {amount_cents}"
    JACKPOT_UNDONE = "jackpot", "Jackpot of {game} at {coin_cents} taken back with round {round}, void: {amount_cents}"
    # tests
    COIN_TESTED = "coin_tested", "{test}: coins of a test, not credited: {coins}"
    HOPPER_TEST_BEGUN = "hopper_test", "{test}: coins of {value_cents} ordered in a test, no payout: {coins}"
    HOPPER_TEST_ENDED = "hopper_test", "{test}: coins that came out in a test: {given} of {coins} ({how})"
    COINS_BACK = "hopper_test", "{test}: coins back through the coin acceptor: {back}; missing: {missing}"
    COINS_PUT_BACK = "hopper_test", "{test}: coins put back by hand ({who}): {back}; missing: {missing}"
    TEST_PULSE = "test_pulse", "{place}: one pulse was given in a test"
    TEST_PULSE_CUT = "test_pulse_cut", "{place}: the power was cut during a test's pulse"
    TEST_PULSE_DOUBTFUL = "test_pulse_cut", "{place}: nobody can say whether it stepped in a test ({reason})"
    WATCHDOG_STARVED = "watchdog_test", "The {who} has the feeding of the watchdog ({seconds} s) stopped"
    WATCHDOG_ENDED = "watchdog_test", "Watchdog: {outcome} ({seconds} s)"


def every_event() -> Iterator[EventKind]:
    """Yield the events of the core, then those of all features."""
    for kinds in (Event, *feature.imported(lambda one: one.events)):
        yield from kinds


@cache
def _by_key() -> Mapping[tuple[str, str], EventKind]:
    return {(event.code, event.key): event for event in every_event()}


def event_of(code: str, key: str) -> EventKind | None:
    """Return the event with this stored code and key, or None for a fault or a row of a newer program."""
    return _by_key().get((code, key))
