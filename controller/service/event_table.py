"""What each kind of event says: as the ledger has it, and as the service menu tells it in the reader's language.

The ledger's English stays as it is written. From it the figures of an event are read again: `{name}` stands for any
words, `{name:d}` for a whole number, `{name_cents}` for an amount in cents, `{name:w}` for one word, `{name:s}` for
what has no space in it, `{name:c}` for a page's code. The display translates what is told, writes amounts as the
cabinet does, and translates the words among the figures that it knows. `{place}` is the event's place.
"""

from collections.abc import Mapping

from controller.faults import PLACES
from controller.journal.watchdog_tests import Outcome
from controller.system.host import Departure
from controller.system.starts import Start

Forms = tuple[tuple[str, str], ...]
"""How a kind of event may be written, and how each form is told."""

_METER = "{place}: "
_LOST = (
    "{lost:d} event(s) of coin acceptor {serial:d} were lost, perhaps coins without credit: {least_cents} cents at the"
    " least, "
)
_FORGOT = (
    "Coin acceptor {serial:d} was reset while it took coins, and forgot what it had not reported: {least_cents} cents"
    " at the least, "
)
_KNOWN = "; counter {before:w} to {now:d}, buffer {holds}, before it {held}"

FORMS: Mapping[str, Forms] = {
    # power and program
    "power_up": (("the supervisor {how}", "The program {how}"),),
    "stopped": (("the supervisor was stopped in order", "The program was stopped in order"),),
    "departure": (("{what} by the {who}", "By the {who}: {what}"),),
    "clock_set": (("from {before} to {after} by the {who}", "Clock set by the {who}: from {before} to {after}"),),
    "clock_not_set": (("{reason}", "The clock could not be set: {reason}"),),
    "clock_jumped": (
        ("the clock jumped by {by_ms:d} ms, from {before} to {after}", "The clock jumped from {before} to {after}"),
        (
            "at the start the clock says {after}, the books have been at {before}",
            "The clock went back while the machine was off: from {before} to {after}",
        ),
    ),
    "round_recovered": (
        (
            "round {number:d} of {game}: {how} at step {step:d}, power-up {power_up:d}",
            "Round {number} of {game}, interrupted after step {step}: {how}",
        ),
    ),
    # doors
    "logic_access": (
        ("opened while the power was off", "The {place} was opened while the power was off"),
        ("opened, and its switch did not tell", "The {place} was opened, and its switch did not tell"),
    ),
    "latch_reset": (("the latch was reset", "The latch of the {place} was reset"),),
    # access
    "service_menu": (
        ("opened by the {who}", "Service menu opened by the {who}"),
        ("closed, {why} ({who})", "Service menu closed: {why} ({who})"),
    ),
    "pin_granted": (
        ("PIN of the {who}: {outcome}", "PIN of the {who}: right"),
        ("PIN of {name}: {outcome}", "PIN of {name}: right"),
    ),
    "pin_wrong": (
        ("PIN of the {who}: {outcome}", "PIN of the {who}: wrong"),
        ("PIN of {name}: {outcome}", "PIN of {name}: wrong"),
    ),
    "pin_barred": (
        ("PIN of the {who}: {outcome}", "PIN of the {who}: barred after too many wrong ones"),
        ("PIN of {name}: {outcome}", "PIN of {name}: barred after too many wrong ones"),
    ),
    "pin_changed": (
        ("PIN of the {who} changed by {by}", "PIN of the {who} changed by the {by}"),
        ("PIN of {name} changed", "PIN of {name} changed"),
    ),
    "pin_lost": (("PIN of {name} is lost", "PIN of {name} is lost: give a new one (C.7)"),),
    "person_added": (("{name} added as {role}", "{name} was added as {role}"),),
    "person_renamed": (("{old} is now called {name}", "{old} is now called {name}"),),
    "person_barred": (("{name} barred", "{name} was barred"),),
    "person_admitted": (("{name} admitted again", "{name} was admitted again"),),
    "person_kept": (
        ("{name} has a PIN here", "Of the restored books, {name} has a PIN at this machine"),
        ("{name} has no PIN here", "Of the restored books, {name} has no PIN at this machine"),
    ),
    "console": (
        ("opened by {user}", "Console opened by {user}"),
        ("left by {user}", "Console left by {user}"),
    ),
    "console_refused": (("{user}: {reason}", "Console refused to {user}: {reason}"),),
    "display_refused": (("process {pid} {reason}", "A program at the screen's socket was cut off: {reason}"),),
    "service_call": (
        ("called", "The player has called the attendant"),
        ("ended", "The call for the attendant has ended"),
    ),
    "out_of_service": (
        ("closed by the {who}", "Closed for players by the {who}"),
        ("opened by the {who}", "Opened for players by the {who}"),
    ),
    # money
    "payout_begun": (("{kind:w} of {amount_cents} cents", "Payout begun, {kind}: {amount_cents}"),),
    "payout_ended": (
        ("hopper paid {paid_cents} of {amount_cents} cents: done done", "The hopper paid all of {amount_cents}"),
        (
            "hopper paid {paid_cents} of {amount_cents} cents: undecided undecided",
            "The hopper paid {paid_cents} of {amount_cents}, and nobody knows whether it paid more",
        ),
        (
            "hopper paid {paid_cents} of {amount_cents} cents: {state:w}",
            "The hopper paid {paid_cents} of {amount_cents}: {state}",
        ),
        (
            "hopper paid {paid_cents} of {amount_cents} cents: {state:w} {reason}",
            "The hopper paid {paid_cents} of {amount_cents}: {state} ({reason})",
        ),
        (
            "hand-pay of {amount_cents} cents cancelled by the player",
            "Hand-pay of {amount_cents} cancelled by the player",
        ),
    ),
    "note_returned": (("{reason}", "Note given back: {reason}"),),
    "coins_diverted": (("{way}", "Coins fall from now on: {way}"),),
    "coin_acceptor_reset": (
        (
            "the coin acceptor had lost power or was reset",
            "The coin acceptor had lost power or was reset",
        ),
    ),
    "coin_rejected": (("{reason} (code {number:d})", "Coin rejected: {reason} (code {number})"),),
    "service_credit": (
        (
            "{amount_cents} cents of service credit given by the {who}",
            "Service credit given by the {who}: {amount_cents}",
        ),
    ),
    "credits_voided": (
        (
            "{amount_cents} cents of credit voided by the {who}: {reason}",
            "Credit of {amount_cents} voided by the {who}: {reason}",
        ),
    ),
    "hopper_refill": (
        (
            "{coins:d} coins of {value_cents} cents put into the hopper by the {who}",
            "Put into the hopper by the {who}: {coins} coins of {value_cents}",
        ),
    ),
    "collection": (("period closed by {who}", "Collected, and the period closed, by the {who}"),),
    "period_cleared": (("period meters cleared by {who}", "Period meters cleared by the {who}"),),
    "open_item": (
        (
            "The hopper gave a coin of {value_cents} cents more than it was told to",
            "The hopper gave a coin of {value_cents} more than it was told to",
        ),
        (
            "Up to {rest_cents} cents may have left the hopper without being counted ({reason})",
            "Up to {rest_cents} may have left the hopper without being counted ({reason})",
        ),
        (
            "Up to {rest_cents} cents may have left hopper {serial:d} without being counted ({reason})",
            "Up to {rest_cents} may have left hopper {serial} without being counted ({reason})",
        ),
        (
            "{rest_cents} cents never left the hopper, and the machine has been played since",
            "{rest_cents} never left the hopper, and the machine has been played since",
        ),
        (
            "{rest_cents} cents were held when the books were lost: how much had left the hopper is not known",
            "{rest_cents} were held when the books were lost: how much had left the hopper is not known",
        ),
        (
            "Coins beyond those ordered may have left the hopper without being counted ({reason})",
            "Coins beyond those ordered may have left the hopper without being counted ({reason})",
        ),
        ("{coins:d} coin(s) came in while no money counts", "Coins that came in while no money counts: {coins}"),
        (
            _LOST + "{most_cents} cents at the most" + _KNOWN,
            (
                "Events that the coin acceptor lost, perhaps coins: {lost}, worth up to {most_cents} (counter"
                " {before} to {now}, buffer {holds}, before it {held})"
            ),
        ),
        (
            _LOST + "nobody knows how much at the most" + _KNOWN,
            (
                "Events that the coin acceptor lost, perhaps coins: {lost}, worth nobody knows how much (counter"
                " {before} to {now}, buffer {holds}, before it {held})"
            ),
        ),
        (
            _FORGOT + "{most_cents} cents at the most" + _KNOWN,
            (
                "The coin acceptor was reset while it took coins, and forgot up to {most_cents} (counter"
                " {before} to {now}, buffer {holds}, before it {held})"
            ),
        ),
        (
            _FORGOT + "nobody knows how much at the most" + _KNOWN,
            (
                "The coin acceptor was reset while it took coins, and forgot nobody knows how much (counter"
                " {before} to {now}, buffer {holds}, before it {held})"
            ),
        ),
        (
            "The bill validator stacked a note that was not in escrow before",
            "The bill validator stacked a note that was not in escrow before",
        ),
        (
            "A credited note of {value_cents} cents was reported as returned ({reason})",
            "A credited note of {value_cents} was reported as returned ({reason})",
        ),
        (
            (
                "A note of {value_cents} cents was to be stacked; it was {before_cents} cents in escrow"
                " and {after_cents} cents when stacked"
            ),
            "A note was worth {before_cents} in escrow, and {after_cents} when stacked",
        ),
        (
            "A note of {value_cents} cents was to be stacked; {reason}",
            "Nobody knows where a note of {value_cents} is: {reason}",
        ),
        (
            "Hopper {serial:d} may have given coins unordered: its lifetime counter went from {before:d} to {after:d}",
            "Hopper {serial} may have given coins unordered: its lifetime counter went from {before} to {after}",
        ),
        (
            (
                "{coins:d} coins left hopper {serial:d} that no payout counted: its lifetime counter went from"
                " {before:d} to {after:d}"
            ),
            "Coins that left hopper {serial} and that no payout counted: {coins}",
        ),
    ),
    "open_item_resolved": (
        ("item {number:d} ({kind:w}): merged into item {into:d}", "Open item {number} is now part of item {into}"),
        ("item {number:d} ({kind:w}): {way:w}, says the {who:w}", "Open item {number}: {way}, says the {who}"),
        (
            "item {number:d} ({kind:w}): {way:w}, says the {who:w} {reason}",
            "Open item {number}: {way}, says the {who} ({reason})",
        ),
        (
            "item {number:d} ({kind:w}): {way:w} {amount_cents} cents, says the {who:w}",
            "Open item {number}: {amount_cents} {way}, says the {who}",
        ),
        (
            "item {number:d} ({kind:w}): {way:w} {amount_cents} cents, says the {who:w} {reason}",
            "Open item {number}: {amount_cents} {way}, says the {who} ({reason})",
        ),
    ),
    "pulse_cut": (
        ("power was cut while the {meter} meter was pulsed", _METER + "the power was cut during a pulse"),
        (
            "up to {pulses:d} pulses of the {meter} meter may be given twice",
            _METER + "after a power cut up to {pulses} pulses may be given twice",
        ),
        ("{reason}", _METER + "nobody can say whether it stepped ({reason})"),
    ),
    # faults: the others are in the catalogue of faults
    "fault_cleared": (("{fault:w} cleared by {who}", "{fault} (cleared by: {who})"),),
    # settings and books
    "currency": (
        ("the books were in {before:w} and are in {now:w}", "The books were in {before}, and are in {now} from now on"),
    ),
    "setting": (
        (
            "{key:s}_cents: {old_cents} \u2192 {new_cents} by cabinet.toml",
            "{key} in cabinet.toml: {old_cents} \u2192 {new_cents}",
        ),
        ("{key}: {old} \u2192 {new} by cabinet.toml", "{key} in cabinet.toml: {old} \u2192 {new}"),
        (
            "{key:s}_cents: {old_cents} \u2192 {new_cents} by {who:w}",
            "{key}: {old_cents} \u2192 {new_cents} ({who})",
        ),
        ("{key}: {old} \u2192 {new} by {who:w}", "{key}: {old} \u2192 {new} ({who})"),
    ),
    "volume": (
        (
            "{name:w} from {before:d} to {percent:d} percent by the {who}",
            "Volume, {name}: from {before} % to {percent} % by the {who}",
        ),
        ("the machine is silenced by the {who}", "Sound switched off by the {who}"),
        ("the machine is heard again by the {who}", "Sound switched on by the {who}"),
    ),
    "network": (
        ("{interface} could not be switched on: {reason}", "{interface} could not be switched on: {reason}"),
        ("{interface} could not be switched off: {reason}", "{interface} could not be switched off: {reason}"),
        ("{reason}", "Network: {reason}"),
    ),
    "device_fitted": (("{device}", "Fitted as {place}: {device}"),),
    "device_replaced": (("{device}; before it: {before}", "Now fitted as {place}: {device}; before it: {before}"),),
    "export": (("{name} on {stick}, for the {who}", "Exported for the {who} to the stick {stick}: {name}"),),
    "diagnostics": (("{name} on {stick}, for the {who}", "Diagnostics for the {who} on the stick {stick}: {name}"),),
    "backup": (("{name} on {stick}, for the {who}", "Backed up by the {who} to the stick {stick}: {name}"),),
    "full_clear": (
        (
            (
                "cleared by the {who} ({reason}); journal {generation:d} follows row {row:d} {hash:w}, snapshot"
                " {snapshot:w}"
            ),
            "Full clear by the {who} ({reason}): journal {generation} follows row {row}",
        ),
    ),
    "books_archived": (
        (
            "{name} ({size:d} MB) holds all rows to {row:d} {hash:w}, sha256 {sha256:w}",
            "Archived: {name} ({size} MB) holds all rows to {row}",
        ),
    ),
    "archive_proved": (
        ("{name} is proved whole, every round by replay", "The archive {name} is proved whole, every round by replay"),
        (
            "{name} is proved whole, every round by replay, but for {rounds:d} rounds of other mathematics",
            "The archive {name} is proved whole; rounds of other mathematics: {rounds}",
        ),
    ),
    "archive_moved": (("{name} was moved to {stick} by the {who}", "The archive {name} was moved to {stick} ({who})"),),
    "software_known": (
        ("{kind:w} {version:s} {hash:w}", "Software from now on: {kind} {version}"),
        (
            "{kind:w} {version:s} {hash:w}, in place of {before:s} {known:w}",
            "Software from now on: {kind} {version}, in place of {before}",
        ),
    ),
    "software_proved": (
        ("all {files:d} files are as signed again", "The software is as it was signed again; files: {files}"),
        (
            "asked for by the {who}: {files:d} files, {differences:d} differences",
            "Software verified for the {who}; files: {files}, differences: {differences}",
        ),
    ),
    "software_trusted": (
        (
            "{kind:w}: key {key} in place of {before}, accepted by the {who}",
            "Key of the software ({kind}): {key} in place of {before}, accepted by the {who}",
        ),
        (
            "{kind:w}: key {key}, the first that this journal knows",
            "Key of the software ({kind}): {key}, the first that these books know",
        ),
    ),
    "demo_mode": (
        (
            "demo mode begun by the {who}: no money counts until the next full clear",
            "Demo mode begun by the {who}: no money counts until the next full clear",
        ),
        (
            "demo mode goes on: no money counts until the next full clear",
            "Demo mode goes on: no money counts until the next full clear",
        ),
    ),
    "identity": (
        (
            "bound to the key {key:w}, in place of {before:w}, with {credit_cents} cents of credit: {reason} ({who})",
            "Books bound to the key {key} in place of {before}, with a credit of {credit_cents}: {reason} ({who})",
        ),
        ("bound to the key {key:w}: {reason} ({who})", "Books bound to the key {key}: {reason} ({who})"),
    ),
    "restored": (
        (
            "the backup of {made} (row {row:d} {hash:w}) was restored by the {who}",
            "The backup of {made} (row {row}) was restored by the {who}",
        ),
    ),
    "rebuilt": (
        (
            "rebuilt from the second copy at row {row:d} with a credit of {credit_cents} cents: {reason}",
            "Rebuilt from the second copy at row {row} with a credit of {credit_cents}: {reason}",
        ),
    ),
    "second_copy": (
        (
            "the second copy was made anew, since it could not be used: {reason}",
            "The second copy was made anew, since it could not be used: {reason}",
        ),
        ("the second copy was begun", "The second copy was begun"),
        ("the second copy was begun anew for these books", "The second copy was begun anew for these books"),
        ("{news}", "Second copy of the books: {news}"),
    ),
    "journal_mark": (
        (
            "the mark beside the journal was missing and is begun anew: compare the books with the meters",
            "The file that names the newest row of the books was missing: compare credit and meters",
        ),
    ),
    # tests
    "service_test": (
        ("{code:c} {title}: begun", "{code} {title}: begun"),
        ("{code:c} {title}: ended", "{code} {title}: ended"),
        (
            "{code:c} {title}: ended, {edges:d} edges of {inputs:d} inputs",
            "{code} {title}: ended; edges: {edges}, inputs: {inputs}",
        ),
        ("{code:c} {title}: ended, not seen: {inputs}", "{code} {title}: ended; not seen: {inputs}"),
        ("{code:c} {title}: ended, every input was seen", "{code} {title}: ended; every input was seen"),
        ("{code:c} {title}: ended, {result}", "{code} {title}: ended; {result}"),
        ("{code:c}: combinations of {game} shown", "{code}: combinations of {game} shown"),
        ("{code:c}: {what} energised", "{code}: {what} energised"),
        ("{code:c}: {what} at rest", "{code}: {what} at rest"),
        ("{code:c}: picture {picture:w}", "{code}: pattern {picture} shown"),
        ("{code:c}: integrity: {result}", "{code}: file of the books: {result}"),
        (
            "{code:c}: {commits:d} commits, the slowest {slowest} ms",
            "{code}: {commits} commits, the slowest {slowest} ms",
        ),
        ("{code:c}: hard meter {meter:w}: no pulse could be given", "{code}: no pulse could be given: {meter}"),
        ("{code:c}: the dispense is still open: {reason}", "{code}: the hopper has not ended yet: {reason}"),
        ("{code:c}: port watched: none", "{code}: no port is watched"),
        ("{code:c}: port watched: {port}", "{code}: port watched: {port}"),
        ("{code:c}: lamp {lamp} {pattern:w}", "{code}: lamp {lamp}: {pattern}"),
        ("{code:c}: lamps: {pattern}", "{code}: all lamps: {pattern}"),
        ("{code:c}: tower light {tier:w} {pattern:w}", "{code}: tower light, {tier}: {pattern}"),
        ("{code:c}: tower light, all tiers {pattern:w}", "{code}: tower light, all tiers: {pattern}"),
        ("{code:c}: sound on {channel:w} at {percent:d} percent", "{code}: sound, {channel}, at {percent} %"),
        (
            "{code:c}: a note of {value_cents} cents: {what:w}; {reason}",
            "{code}: note of {value_cents}: {what}; {reason}",
        ),
        ("{code:c}: a note: {what:w}; {reason}", "{code}: note: {what}; {reason}"),
    ),
    "coin_tested": (("{code:c}: {coins}; not credited", "{code}: coins of a test, not credited: {coins}"),),
    "hopper_test": (
        (
            "{code:c}: {coins:d} coin(s) of {value_cents} cents ordered, no payout",
            "{code}: coins of {value_cents} ordered in a test, no payout: {coins}",
        ),
        (
            "{code:c}: {paid:d} of {coins:d} coin(s) came out: {how}",
            "{code}: coins that came out in a test: {paid} of {coins} ({how})",
        ),
        (
            "{code:c}: {coins:d} coin(s) came back through the coin acceptor; {missing:d} missing",
            "{code}: coins back through the coin acceptor: {coins}; missing: {missing}",
        ),
        (
            "{code:c}: {coins:d} coin(s) were put back by hand, says the {who}; {missing:d} missing",
            "{code}: coins put back by hand ({who}): {coins}; missing: {missing}",
        ),
    ),
    "test_pulse": (("hard meter {meter:w} was given one pulse", _METER + "one pulse was given in a test"),),
    "test_pulse_cut": (
        (
            "power was cut while the {meter:w} meter was pulsed in a test",
            _METER + "the power was cut during a test's pulse",
        ),
        ("{reason}", _METER + "nobody can say whether it stepped in a test ({reason})"),
    ),
    "watchdog_test": (
        (
            "the {who} has the feeding of the watchdog ({seconds} s) stopped",
            "The {who} has the feeding of the watchdog ({seconds} s) stopped",
        ),
        ("{outcome}, after {seconds} s", "Watchdog: {outcome} ({seconds} s)"),
    ),
    "check_out": (
        ("check-out PASS", "Check-out: PASS"),
        ("check-out FAIL: {reason}", "Check-out: FAIL ({reason})"),
    ),
    "burn_in": (
        ("burn-in of {time}, no errors", "Burn-in of {time}: no errors"),
        ("burn-in of {time}, {reason}", "Burn-in of {time}: {reason}"),
    ),
}
"""Every kind of event but the faults, which `controller.faults` has, by its code."""

FAULT_FORMS: Mapping[str, Forms] = {
    "large_win": (("round {number:d} won {won_cents} cents", "Large win of {won_cents} in round {number}"),),
    "meter_jump": (
        (
            "{came_cents} cents in {kind:w} since the round before {number:d}",
            "Since the round before {number}, {came_cents} in {kind}: more than can be",
        ),
    ),
    "power_reset": (("the supervisor {how}", "The program {how}"),),
    "program_crash": (("the supervisor {how}", "The program {how}"),),
}
"""Faults whose details have figures of their own."""

NAMES: Mapping[str, str] = {
    "kind:hand_pay": "by hand",
    "kind:hopper": "hopper",
    "state:done": "all paid",
    "state:short": "not all paid",
    "state:undecided": "nobody knows how much",
    "reason:empty": "it is empty",
    "reason:jammed": "it is jammed",
    "reason:stopped": "it was stopped",
    "reason:away": "it did not answer",
    "reason:undecided": "its counters contradict each other",
    "way:cash box": "into the cash box",
    "way:hopper": "into the hopper",
    "way:unknown": "nobody knows where",
    "way:paid": "paid by hand",
    "way:left": "coins had left the hopper",
    "way:returned": "returned",
    "way:void": "void",
    "way:counted": "counted",
    "way:kept": "no coin had left the hopper",
    "way:credited": "put on the credit",
    "name:overall": "All sounds",
    "name:wins": "Wins",
    "name:game": "Game",
    "name:background": "Background music",
    "what:escrow": "in escrow",
    "what:returned": "returned",
    "what:stacked": "stacked",
    "pattern:blink": "blinking",
    **{name.removeprefix("meter_"): words for name, words in PLACES.items() if name.startswith("meter_")},
}
"""What the ledger's own words among the figures are called, by the figure or by themselves; others stay as written."""

WORDS: tuple[str, ...] = (
    *Start,
    *Departure,
    *Outcome,
    "nobody touched it",
    "the key was turned back",
    "left",
    "itself",
    "the next play",
    "all on",
    "all blinking",
    "all off",
    "one after another",
    "whole",
    "cut off",
    "full clear",
    "its books were lost",
    "nothing is credited",
    "another note came into escrow before its end was reported",
)
"""Words among the figures that have a translation of their own and are told nowhere else."""
