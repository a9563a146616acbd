"""Events of before: rows of programs that logged English words in place of figures, read back for translation.

`{name}` matches any words, `{name:d}` for a whole number, `{name_cents}` for an amount in cents, `{name:w}` for one
word, `{name:s}` for what has no space in it, `{name:c}` for a page's code. No program writes such rows any more, so a
change of an event's template needs no change here.
"""

import re
from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import NamedTuple

from controller.journal.event_catalogue import Event

_FIGURES = {"d": r"-?\d+", "w": r"[\w+-]+", "s": r"\S+", "c": r"[A-Z]\.\d+"}
_COUNTED = re.compile(r"(?P<text>.*) \((?P<times>\d+) times\)", re.DOTALL)
"""What was written of events that came too fast to be recorded one by one."""
_LOST = (
    "{lost:d} event(s) of coin acceptor {serial:d} were lost, perhaps coins without credit: {least_cents} cents at the"
    " least, "
)
_FORGOT = (
    "Coin acceptor {serial:d} was reset while it took coins, and forgot what it had not reported: {least_cents} cents"
    " at the least, "
)
_KNOWN = "; counter {before:w} to {now:d}, buffer {holds}, before it {held}"
_MOST, _UNBOUNDED = "{most_cents} cents at the most", "nobody knows how much at the most"

_WRITTEN: tuple[tuple[str, Event | tuple[str, str]], ...] = (
    ("the supervisor {how}", Event.POWER_UP),
    ("the supervisor was stopped in order", Event.STOPPED),
    ("{what} by the {who}", Event.DEPARTURE),
    ("from {before} to {after} by the {who}", Event.CLOCK_SET),
    ("{reason}", Event.CLOCK_NOT_SET),
    ("the clock jumped by {by_ms:d} ms, from {before} to {after}", Event.CLOCK_JUMPED),
    ("at the start the clock says {after}, the books have been at {before}", Event.CLOCK_WENT_BACK),
    ("round {round:d} of {game}: {how} at step {step:d}, power-up {power_up:d}", Event.ROUND_RECOVERED),
    ("opened while the power was off", Event.OPENED_UNPOWERED),
    ("opened, and its switch did not tell", Event.OPENED_UNSEEN),
    ("the latch was reset", Event.LATCH_RESET),
    ("opened by the {who}", Event.MENU_OPENED),
    ("closed, {why} ({who})", Event.MENU_CLOSED),
    ("PIN of the {who}: {outcome}", ("pin_granted", "PIN of the {who}: right")),
    ("PIN of {name}: {outcome}", Event.PIN_GRANTED),
    ("PIN of the {who}: {outcome}", ("pin_wrong", "PIN of the {who}: wrong")),
    ("PIN of {name}: {outcome}", Event.PIN_WRONG),
    ("PIN of the {who}: {outcome}", ("pin_barred", "PIN of the {who}: barred after too many wrong ones")),
    ("PIN of {name}: {outcome}", Event.PIN_BARRED),
    ("PIN of the {who} changed by {by}", ("pin_changed", "PIN of the {who} changed by the {by}")),
    ("PIN of {name} changed", Event.PIN_CHANGED),
    ("PIN of {name} is lost", Event.PIN_LOST),
    ("{name} added as {role}", Event.PERSON_ADDED),
    ("{old} is now called {name}", Event.PERSON_RENAMED),
    ("{name} barred", Event.PERSON_BARRED),
    ("{name} admitted again", Event.PERSON_ADMITTED),
    ("{name} has a PIN here", Event.PERSON_HAS_PIN),
    ("{name} has no PIN here", Event.PERSON_HAS_NO_PIN),
    ("opened by {user}", Event.CONSOLE_OPENED),
    ("left by {user}", Event.CONSOLE_LEFT),
    ("{user}: {reason}", Event.CONSOLE_REFUSED),
    ("process {pid} {reason}", Event.DISPLAY_REFUSED),
    ("called", Event.ATTENDANT_CALLED),
    ("ended", Event.CALL_ENDED),
    ("closed by the {who}", Event.CLOSED_FOR_PLAYERS),
    ("opened by the {who}", Event.OPENED_FOR_PLAYERS),
    ("{kind:w} of {amount_cents} cents", Event.PAYOUT_BEGUN),
    ("hopper paid {paid_cents} of {amount_cents} cents: done done", Event.PAID_ALL),
    ("hopper paid {paid_cents} of {amount_cents} cents: undecided undecided", Event.PAID_PERHAPS_MORE),
    ("hopper paid {paid_cents} of {amount_cents} cents: {state:w}", Event.PAID_PART),
    ("hopper paid {paid_cents} of {amount_cents} cents: {state:w} {reason}", Event.PAID_PART_BECAUSE),
    ("hand-pay of {amount_cents} cents cancelled by the player", Event.HAND_PAY_CANCELLED),
    ("{reason}", Event.NOTE_RETURNED),
    ("{way}", Event.COINS_DIVERTED),
    ("the coin acceptor had lost power or was reset", Event.COIN_ACCEPTOR_RESET),
    ("{reason} (code {reject:d})", Event.COIN_REJECTED),
    ("{amount_cents} cents of service credit given by the {who}", Event.SERVICE_CREDIT),
    ("{amount_cents} cents of credit voided by the {who}: {reason}", Event.CREDITS_VOIDED),
    ("{coins:d} coins of {value_cents} cents put into the hopper by the {who}", Event.HOPPER_REFILL),
    ("period closed by {who}", Event.COLLECTION),
    ("period meters cleared by {who}", Event.PERIOD_CLEARED),
    ("The hopper gave a coin of {value_cents} cents more than it was told to", Event.COIN_BEYOND_ORDER),
    ("Up to {rest_cents} cents may have left the hopper without being counted ({reason})", Event.PAYOUT_UNCOUNTED),
    (
        "Up to {rest_cents} cents may have left hopper {serial:d} without being counted ({reason})",
        Event.PAYOUT_UNCOUNTED_BY,
    ),
    ("{rest_cents} cents never left the hopper, and the machine has been played since", Event.PAYOUT_REST),
    (
        "{rest_cents} cents were held when the books were lost: how much had left the hopper is not known",
        Event.HELD_WHEN_LOST,
    ),
    (
        "Coins beyond those ordered may have left the hopper without being counted ({reason})",
        Event.COINS_BEYOND_ORDER,
    ),
    ("{coins:d} coin(s) came in while no money counts", Event.DEMO_COINS),
    (_LOST + _MOST + _KNOWN, Event.COINS_LOST),
    (_LOST + _UNBOUNDED + _KNOWN, Event.COINS_LOST_UNBOUNDED),
    (_FORGOT + _MOST + _KNOWN, Event.COINS_FORGOTTEN),
    (_FORGOT + _UNBOUNDED + _KNOWN, Event.COINS_FORGOTTEN_UNBOUNDED),
    ("The bill validator stacked a note that was not in escrow before", Event.NOTE_UNEXPECTED),
    ("A credited note of {value_cents} cents was reported as returned ({reason})", Event.CREDITED_NOTE_RETURNED),
    (
        (
            "A note of {value_cents} cents was to be stacked; it was {before_cents} cents in"
            " escrow and {after_cents} cents when stacked"
        ),
        Event.NOTE_OF_OTHER_VALUE,
    ),
    ("A note of {value_cents} cents was to be stacked; {reason}", Event.NOTE_UNKNOWN),
    (
        "Hopper {serial:d} may have given coins unordered: its lifetime counter went from {before:d} to {after:d}",
        Event.HOPPER_RECOUNTED,
    ),
    (
        (
            "{coins:d} coins left hopper {serial:d} that no payout counted: its lifetime"
            " counter went from {before:d} to {after:d}"
        ),
        Event.COINS_UNORDERED,
    ),
    ("item {item:d} ({kind:w}): merged into item {into:d}", Event.ITEM_MERGED),
    ("item {item:d} ({kind:w}): {way:w}, says the {who:w}", Event.ITEM_RESOLVED),
    ("item {item:d} ({kind:w}): {way:w}, says the {who:w} {reason}", Event.ITEM_RESOLVED_BECAUSE),
    ("item {item:d} ({kind:w}): {way:w} {amount_cents} cents, says the {who:w}", Event.ITEM_BOOKED),
    ("item {item:d} ({kind:w}): {way:w} {amount_cents} cents, says the {who:w} {reason}", Event.ITEM_BOOKED_BECAUSE),
    ("power was cut while the {meter} meter was pulsed", Event.PULSE_CUT),
    ("up to {pulses:d} pulses of the {meter} meter may be given twice", Event.PULSES_MAYBE_TWICE),
    ("{reason}", Event.PULSE_DOUBTFUL),
    ("{fault:w} cleared by {who}", Event.FAULT_CLEARED),
    ("the books were in {before:w} and are in {now:w}", Event.CURRENCY),
    ("{name:s}_cents: {old_cents} \u2192 {new_cents} by cabinet.toml", Event.FILE_AMOUNT_CHANGED),
    ("{key}: {old} \u2192 {new} by cabinet.toml", Event.FILE_SETTING_CHANGED),
    ("{name:s}_cents: {old_cents} \u2192 {new_cents} by {who:w}", Event.AMOUNT_CHANGED),
    ("{key}: {old} \u2192 {new} by {who:w}", Event.SETTING_CHANGED),
    ("{name:w} from {before:d} to {percent:d} percent by the {who}", Event.VOLUME),
    ("the machine is silenced by the {who}", Event.SILENCED),
    ("the machine is heard again by the {who}", Event.HEARD),
    ("{interface} could not be switched on: {reason}", Event.NETWORK_NOT_ON),
    ("{interface} could not be switched off: {reason}", Event.NETWORK_NOT_OFF),
    ("{reason}", ("network", "Network: {reason}")),
    ("{device}", Event.DEVICE_FITTED),
    ("{device}; before it: {before}", Event.DEVICE_REPLACED),
    ("{name} on {stick}, for the {who}", Event.EXPORT),
    ("{name} on {stick}, for the {who}", Event.DIAGNOSTICS),
    ("{name} on {stick}, for the {who}", Event.BACKUP),
    (
        "cleared by the {who} ({reason}); journal {generation:d} follows row {row:d} {hash:w}, snapshot {snapshot:w}",
        Event.FULL_CLEAR,
    ),
    ("{name} ({megabytes:d} MB) holds all rows to {row:d} {hash:w}, sha256 {sha256:w}", Event.BOOKS_ARCHIVED),
    ("{name} is proved whole, every round by replay", Event.ARCHIVE_PROVED),
    (
        "{name} is proved whole, every round by replay, but for {rounds:d} rounds of other mathematics",
        Event.ARCHIVE_PROVED_IN_PART,
    ),
    ("{name} was moved to {stick} by the {who}", Event.ARCHIVE_MOVED),
    ("{kind:w} {version:s} {hash:w}", Event.SOFTWARE_KNOWN),
    ("{kind:w} {version:s} {hash:w}, in place of {before:s} {known:w}", Event.SOFTWARE_CHANGED),
    ("all {files:d} files are as signed again", Event.SOFTWARE_WHOLE_AGAIN),
    ("asked for by the {who}: {files:d} files, {differences:d} differences", Event.SOFTWARE_VERIFIED),
    ("{kind:w}: key {key} in place of {before}, accepted by the {who}", Event.KEY_ACCEPTED),
    ("{kind:w}: key {key}, the first that this journal knows", Event.KEY_KNOWN),
    ("demo mode begun by the {who}: no money counts until the next full clear", Event.DEMO_BEGUN),
    ("demo mode goes on: no money counts until the next full clear", Event.DEMO_GOES_ON),
    (
        "bound to the key {key:w}, in place of {before:w}, with {credit_cents} cents of credit: {reason} ({who})",
        Event.BOUND_AGAIN,
    ),
    ("bound to the key {key:w}: {reason} ({who})", Event.BOUND),
    ("the backup of {made} (row {row:d} {hash:w}) was restored by the {who}", Event.RESTORED),
    ("rebuilt from the second copy at row {row:d} with a credit of {credit_cents} cents: {reason}", Event.REBUILT),
    ("the second copy was made anew, since it could not be used: {reason}", Event.COPY_REPLACED),
    ("the second copy was begun", Event.COPY_BEGUN),
    ("the second copy was begun anew for these books", Event.COPY_BEGUN_ANEW),
    ("{news}", ("second_copy", "Second copy of the books: {news}")),
    (
        "the mark beside the journal was missing and is begun anew: compare the books with the meters",
        Event.JOURNAL_MARK,
    ),
    ("{test:c} {title}: begun", Event.TEST_BEGUN),
    ("{test:c} {title}: ended", Event.TEST_ENDED),
    ("{test:c} {title}: ended, {edges:d} edges of {inputs:d} inputs", Event.TEST_ENDED_WITH_EDGES),
    ("{test:c} {title}: ended, not seen: {inputs}", Event.TEST_ENDED_UNSEEN),
    ("{test:c} {title}: ended, every input was seen", Event.TEST_ENDED_ALL_SEEN),
    ("{test:c} {title}: ended, {result}", ("service_test", "{test} {title}: ended; {result}")),
    ("{test:c}: combinations of {game} shown", Event.COMBINATIONS_SHOWN),
    ("{test:c}: {what} energised", Event.GATE_ENERGISED),
    ("{test:c}: {what} at rest", Event.GATE_AT_REST),
    ("{test:c}: picture {picture:w}", Event.PATTERN_SHOWN),
    ("{test:c}: integrity: {result}", Event.INTEGRITY),
    ("{test:c}: {commits:d} commits, the slowest {slowest} ms", Event.COMMITS_TIMED),
    ("{test:c}: hard meter {meter:w}: no pulse could be given", Event.NO_PULSE),
    ("{test:c}: the dispense is still open: {reason}", Event.HOPPER_NOT_ENDED),
    ("{test:c}: port watched: none", Event.NO_PORT_WATCHED),
    ("{test:c}: port watched: {port}", Event.PORT_WATCHED),
    ("{test:c}: lamp {lamp} {pattern:w}", Event.LAMP),
    ("{test:c}: lamps: {pattern}", Event.ALL_LAMPS),
    ("{test:c}: tower light {tier:w} {pattern:w}", Event.TIER),
    ("{test:c}: tower light, all tiers {pattern:w}", Event.ALL_TIERS),
    ("{test:c}: sound on {channel:w} at {percent:d} percent", Event.SOUND),
    ("{test:c}: a note of {value_cents} cents: {what:w}; {reason}", Event.TEST_NOTE),
    ("{test:c}: a note: {what:w}; {reason}", Event.TEST_UNKNOWN_NOTE),
    ("{test:c}: {coins}; not credited", Event.COIN_TESTED),
    ("{test:c}: {coins:d} coin(s) of {value_cents} cents ordered, no payout", Event.HOPPER_TEST_BEGUN),
    ("{test:c}: {given:d} of {coins:d} coin(s) came out: {how}", Event.HOPPER_TEST_ENDED),
    ("{test:c}: {back:d} coin(s) came back through the coin acceptor; {missing:d} missing", Event.COINS_BACK),
    ("{test:c}: {back:d} coin(s) were put back by hand, says the {who}; {missing:d} missing", Event.COINS_PUT_BACK),
    ("hard meter {meter:w} was given one pulse", Event.TEST_PULSE),
    ("power was cut while the {meter:w} meter was pulsed in a test", Event.TEST_PULSE_CUT),
    ("{reason}", Event.TEST_PULSE_DOUBTFUL),
    ("the {who} has the feeding of the watchdog ({seconds} s) stopped", Event.WATCHDOG_STARVED),
    ("{outcome}, after {seconds} s", Event.WATCHDOG_ENDED),
    ("check-out PASS", Event.CHECK_OUT_PASSED),
    ("check-out FAIL: {reason}", Event.CHECK_OUT_FAILED),
    ("burn-in of {time}, no errors", Event.BURN_IN_PASSED),
    ("burn-in of {time}, {reason}", Event.BURN_IN_FAILED),
    ("round {round:d} won {won_cents} cents", Event.LARGE_WIN),
    ("{came_cents} cents in {kind:w} since the round before {round:d}", Event.METER_JUMP),
    ("the supervisor {how}", Event.RESTARTED),
    ("the supervisor {how}", Event.CRASHED),
)
"""How events were written, and what each is now: a code and a template where no program logs it any more."""

_BY_CODE: dict[str, list[tuple[str, str]]] = {}
for _written, _event in _WRITTEN:
    _code, _template = _event if isinstance(_event, tuple) else _event.value
    _BY_CODE.setdefault(_code, []).append((_written, _template))

TEMPLATES = frozenset(event[1] for _, event in _WRITTEN if isinstance(event, tuple))
"""The templates that no event of today has."""


class OldEvent(NamedTuple):
    """What was read from the words of a row: a template, its figures, and how often it happened if that was counted."""

    template: str
    figures: Mapping[str, str | int]
    times: str = ""


def read(code: str, text: str) -> OldEvent | None:
    """Return what a row of that code and words says, None where no program has written it so."""
    if counted := _COUNTED.fullmatch(text):
        once = read(code, counted["text"])
        return once and once._replace(times=f"{counted['times']} x")
    for written, template in _BY_CODE.get(code, ()):
        if found := _pattern(written).fullmatch(text):
            return OldEvent(template, _figures(written, template, found.groupdict()))
    return None


def _figures(written: str, template: str, found: Mapping[str, str]) -> dict[str, str | int]:
    shown, whole = dict(_fields(template)), {name for name, kind in _fields(written) if kind == "d"}
    return {name: int(value) if name in whole else value for name, value in found.items() if name in shown}


@cache
def _pattern(written: str) -> re.Pattern[str]:
    parts = []
    for before, name, spec, _ in Formatter().parse(written):
        parts.append(re.escape(before))
        if name is not None:
            parts.append(f"(?P<{name}>{_FIGURES.get(_kind(name, spec or ''), '.+?')})")
    return re.compile("".join(parts), re.DOTALL)


def _fields(written: str) -> list[tuple[str, str]]:
    return [(name, _kind(name, spec or "")) for _, name, spec, _ in Formatter().parse(written) if name is not None]


def _kind(name: str, spec: str) -> str:
    return "d" if name.endswith("_cents") else spec
