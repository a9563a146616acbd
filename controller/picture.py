"""What the machine shows: its controls, its view and its notices, derived from the state it is in."""

from typing import TYPE_CHECKING

import msgspec

from controller.faults import Clears, explain, in_words
from controller.states import Row, State
from ui.messages import Notice, View

if TYPE_CHECKING:
    from controller.machine import Machine

_WHO = {Clears.ITSELF: "", Clears.ATTENDANT: "attendant", Clears.TECHNICIAN: "technician"}


def live_controls(machine: "Machine", row: Row) -> frozenset[str]:
    """Return the buttons and touch controls that live now: the table's, as far as they can do something."""
    live = {*row.lamps, *(control for control in row.touch if not control.endswith(":"))}
    if "game:" in row.touch:
        live.update(f"game:{name}" for name in machine.cabinet.games.enabled)
    if machine.overlay is None and machine.state is State.OFFER and machine.offer is not None:
        if machine.offer.pick:
            live.update(f"chest:{choice}" for choice in machine.offer.choices)
        else:
            live -= {"lines", "bet"}
    if machine.overlay is None and machine.state is State.AUTOSPIN and machine.autospin_panel is not None:
        live = live - machine.autospin_panel.dead_buttons | machine.autospin_panel.touches
    if machine.state in (State.ROUND, State.OFFER) and not machine.spins_by_itself:
        live.discard("auto")
    if machine.credit_cents == 0 and machine.state not in (State.HANDPAY, State.AUTOSPIN):
        live.discard("collect")
    return frozenset(live)


def view_of(machine: "Machine", *, takes: bool) -> View:
    """Return all that a display must draw now; `takes` says whether money is taken."""
    in_game = machine.session.game and machine.state not in (State.BOOTING, State.ATTRACT, State.LOBBY)
    auto = machine.autospin if machine.spins_by_itself else None
    panel = machine.autospin_panel if machine.state is State.AUTOSPIN else None
    return View(
        state=machine.overlay or machine.state,
        controls=tuple(sorted(machine.controls)),
        focus=machine.focus,
        credit_cents=machine.credit_cents - machine.unshown_win_cents,
        win_cents=machine.win_cents - machine.unshown_win_cents,
        bet=machine.bet if machine.session.game else None,
        game=machine.session.game if in_game else "",
        scene=_raw(machine.scene),
        offer=_raw(machine.offer),
        message=machine.message,
        notices=_notices(machine),
        payout=machine.payout,
        accepts_coins=takes,
        accepts_notes=takes,
        money=machine.cabinet.cabinet.money,
        language=machine.cabinet.cabinet.language,
        muted=machine.session.muted,
        games=machine.cabinet.games.enabled,
        coin_values_cents=machine.cabinet.games.coin_values_cents,
        resumed=machine.resumed,
        autospin=None if panel is None else panel.shown,
        autospin_left=0 if auto is None else auto.left,
        autospin_of=0 if auto is None else auto.of,
    )


def _notices(machine: "Machine") -> tuple[Notice, ...]:
    notices = []
    if machine.lock is not None:
        notices.append(Notice(machine.lock.code, str(machine.lock), who="technician", stops_play=True))
    for name, is_open in machine.doors.items():
        if is_open:
            notices.append(Notice("door_open", in_words("door_open", name), who="attendant", stops_play=True))
    for fault in machine.faults:
        kind = explain(fault.code)
        text = in_words(fault.code, fault.place)
        notices.append(Notice(fault.code, text, who=_WHO[kind.clears], stops_play=kind.stops_play))
    if machine.service_called:
        notices.append(Notice("service_call", "The attendant has been called"))
    if machine.open_items:
        kind = explain("open_item")
        notices.append(Notice("open_item", kind.text, who=_WHO[kind.clears], stops_play=kind.stops_play))
    return tuple(notices)


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
