"""What the machine shows: its controls, its view and its notices, derived from the state it is in."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from controller.errors import LockingError
from controller.faults import DOOR_OPEN, LOCKS, Clears, Stops, explain, in_words, place_in_words
from controller.journal.pools import PoolKey
from controller.machine.past_round import with_past_round
from controller.machine.states import Row, State
from controller.session import betting
from controller.session.credit_words import RESIDUE, holds
from controller.session.session import bet_on_opening
from games.catalogue import load
from ui.messages import Jackpot, Notice, View

if TYPE_CHECKING:
    from controller.machine.machine import Machine
    from controller.machine.ports import Replaying

WHO = {Clears.ITSELF: "", Clears.NEXT_PLAY: "", Clears.ATTENDANT: "attendant", Clears.TECHNICIAN: "technician"}
"""Who is called to clear a fault of each class; nobody where it clears without one."""
OPEN_ITEM = {True: "open_item", False: "open_item_attendant"}
"""The notice of an open item, by whether the technician must decide it."""


MENU = ("paytable", "coin_value", "buy", "turbo", "sound", "settings", "history", "home")
"""What the menu lists, in order: all that the idle game else has for a finger alone."""

SERVICE_CALL = "The attendant has been called"

_PAYS_OUT = (State.LOBBY, State.IDLE)
"""Where COLLECT pays out, and does not merely leave or decline."""


def live_controls(machine: "Machine", row: Row) -> frozenset[str]:
    """Return the buttons and touch controls that live now: the table's, as far as they can do something."""
    if machine.overlay is State.SERVICE_MENU:
        return machine.menu.controls
    live = {*row.lamps, *(control for control in row.touch if not control.endswith(":"))}
    if machine.overlay is None:
        live = (live | _named(machine)) - _dead(machine)
    if machine.credit_cents == 0 and machine.state in _PAYS_OUT:
        live.discard("collect")
    return frozenset(live)


def menu_of(machine: "Machine") -> tuple[str, ...]:
    """Return what the menu lists now: nothing that would do nothing."""
    dead = _idle_dead(machine)
    return tuple(item for item in MENU if item not in dead)


def _named(machine: "Machine") -> frozenset[str]:
    """Return the live controls whose names the state's table only begins: games, choices, pages' items."""
    named: Iterable[str] = ()
    match machine.state:
        case State.LOBBY:
            named = (f"game:{name}" for name in machine.config.games.enabled)
        case State.WITCH | State.PAYTABLE:
            named = (f"witch:{number}" for number in range(machine.game.companions))
        case State.OFFER | State.GAMBLE if machine.offer is not None and machine.offer.pick:
            named = (f"choice:{choice}" for choice in machine.offer.choices)
        case State.AUTOSPIN if machine.autospin_panel is not None:
            named = machine.autospin_panel.touches
        case State.MENU:
            named = menu_of(machine)
        case State.SETTINGS if machine.volume_panel is not None:
            named = machine.volume_panel.touches
        case State.HISTORY:
            named = (f"history:{past.number}" for past in machine.history)
    return frozenset(named)


def _dead(machine: "Machine") -> frozenset[str]:
    """Return the controls of the state's table that do nothing now."""
    dead: Iterable[str] = ()
    match machine.state:
        case State.LOBBY:
            alone = len(machine.config.games.enabled) == 1
            # with credit attract would lead straight back here
            left = machine.credit_cents == betting.residue_cents(machine.config, machine.credit_cents)
            dead = (*(("lines", "bet") if alone else ()), *(() if left else ("home", "info")))
        case State.IDLE | State.GAMBLE_OFFER:
            dead = _idle_dead(machine)
        case State.PAYTABLE:
            # the menu's items act on an idle game, and with an `offer` the round is not over
            dead = (*(() if machine.game.companions else ("max_bet",)), *(("menu",) if machine.offer else ()))
        case State.AUTOSPIN if machine.autospin_panel is not None:
            dead = machine.autospin_panel.dead_buttons
        case State.HISTORY if not machine.history:
            dead = ("spin", "lines", "bet")
        case State.ROUND if not machine.spins_by_itself:
            dead = ("auto",)
        case State.OFFER:
            dead = _offer_dead(machine)
    return frozenset(dead)


def _offer_dead(machine: "Machine") -> frozenset[str]:
    """Return the buttons that are no answer to what is on offer, and AUTO where it has nothing to stop."""
    dead = set() if machine.spins_by_itself else {"auto"}
    if machine.offer is None or not machine.offer.pick:
        dead |= {"lines", "bet"}
    return frozenset(dead)


def _idle_dead(machine: "Machine") -> frozenset[str]:
    """Return the controls of the idle game that do nothing in this game, at this bet or with this credit.

    What is at risk counts as credit: it is collected before anything is bought.
    """
    dead = set() if machine.config.games.autospin else {"auto"}
    bets = betting.total_bets(machine.game, machine.config.games)
    if bets:
        dead.add("coin_value")
    if bets and machine.bet.cents == bets[0]:
        dead.add("lines")
    if not 0 < machine.buy_cents <= machine.credit_cents + machine.at_risk_cents:
        dead.add("buy")
    return frozenset(dead)


def view_of(machine: "Machine") -> View:
    """Return all that a display must draw now."""
    games, session, state, last = machine.config.games, machine.session, machine.state, machine.last_round
    in_game = bool(session.game) and state not in (State.BOOTING, State.ATTRACT, State.LOBBY)
    auto = machine.autospin if machine.spins_by_itself else None
    panel = machine.autospin_panel if state is State.AUTOSPIN else None
    volumes = machine.volume_panel if state is State.SETTINGS else None
    view = View(
        state=machine.overlay or state,
        controls=tuple(sorted(machine.controls)),
        focus=machine.focus,
        credit_cents=machine.credit_cents - machine.unshown_credit_cents,
        win_cents=machine.win_cents - machine.unshown_win_cents,
        at_risk_cents=machine.at_risk_cents,
        bet=machine.bet if session.game else None,
        played_bet=machine.played_bet if session.game else None,
        game=session.game if in_game else "",
        scene=_raw(machine.scene),
        offer=_raw(machine.offer),
        message=_message(machine),
        notices=_notices(machine),
        payout=machine.payout,
        paid=machine.paid,
        residue_cents=betting.residue_cents(machine.config, machine.credit_cents),
        held_cents=machine.held_cents,
        large_win_cents=last.win_cents if machine.overlay is State.LARGE_WIN and last is not None else 0,
        accepts_coins=machine.takes_coins,
        accepts_notes=machine.takes_notes,
        money=machine.config.cabinet.written_money,
        language=machine.config.cabinet.language,
        muted=session.muted or (state is State.ATTRACT and not machine.config.sound.attract),
        turbo=session.turbo,
        volumes=session.volumes if volumes is None else volumes.volumes,
        loudest_percent=machine.config.sound.percent,
        brightness_percent=machine.config.display.brightness_percent,
        witch=session.witch,
        games=games.enabled,
        coin_values_cents=games.coin_values_cents,
        bets_cents=betting.total_bets(machine.game, games) if in_game else (),
        bet_ranges=machine.bet_ranges,
        lowest_bet_cents=betting.lowest_bet(machine.game, games).cents if state is State.LOWEST_BET else 0,
        buy_cents=machine.buy_cents if in_game else 0,
        gamble_cap_cents=machine.gamble_cap_cents if in_game else 0,
        jackpot_cents=machine.pools_cents.get(PoolKey(session.game, session.coin_value_cents), 0) if in_game else 0,
        jackpots=_jackpots(machine),
        menu=menu_of(machine) if state is State.MENU else (),
        history=machine.history if state is State.HISTORY else (),
        last_round=last,
        resumed=machine.resumed,
        autospin=None if panel is None else panel.shown,
        autospin_left=0 if auto is None else auto.left,
        autospin_of=0 if auto is None else auto.of,
        service=machine.menu.page,
        touch=machine.calibration,
        demo_mode=machine.demo_mode,
    )
    if machine.service.is_open:
        return machine.service.covered(view)
    return view if machine.replaying is None else _replayed(view, machine.replaying)


def _replayed(view: View, replaying: "Replaying") -> View:
    """Return `view` with a past round on its reels; the credit stays the player's own."""
    return with_past_round(
        view,
        past=replaying.past,
        bet=replaying.bet,
        scene=replaying.scene,
        win_cents=replaying.win_cents,
        companion=replaying.companion,
    )


def _message(machine: "Machine") -> str:
    """Return the machine's message, as long as it is true."""
    credit, games = machine.credit_cents, machine.config.games
    if machine.message == RESIDUE:
        return machine.message if betting.residue_cents(machine.config, credit) else ""
    if not machine.session.game:
        return machine.message
    return machine.message if holds(machine.message, machine.game, games, machine.bet, credit) else ""


def _jackpots(machine: "Machine") -> dict[str, Jackpot]:
    """Return the pool that each game would be played for at the bet that opening it chooses, and the bet that wins it.

    The highest pool may be that of any coin value: each grows by its own bets.
    """
    jackpots: dict[str, Jackpot] = {}
    for name in dict.fromkeys(key.game for key in machine.pools_cents):
        game = load(name)
        value = bet_on_opening(machine.session, game, machine.config.games).coin_value_cents
        if PoolKey(name, value) in machine.pools_cents:
            jackpots[name] = Jackpot(
                cents=machine.pools_cents[PoolKey(name, value)],
                coin_value_cents=value,
                lines=game.line_counts[-1] if game.pool_at_highest_bet else 0,
                coins_per_line=game.coins_per_line[-1] if game.pool_at_highest_bet else 0,
            )
    return jackpots


def _notices(machine: "Machine") -> tuple[Notice, ...]:
    notices = []
    if machine.lock is not None:
        notices.append(lock_notice(machine.lock))
    faults = [fault_notice(code, place) for code, place in machine.active_faults]
    # Books that cannot be trusted contradict what merely happened, such as a restart after which the credit was kept.
    notices += [fault for fault in faults if fault.stops_play or machine.lock is None]
    if machine.service_called:
        notices.append(Notice("service_call", SERVICE_CALL, template=SERVICE_CALL, lasting=True))
    most_cents = machine.config.limits.open_item_cents
    items = machine.open_items if machine.lock is None else ()
    deciders = {item.wants_technician(most_cents) for item in items}
    notices += [fault_notice(OPEN_ITEM[technician], "") for technician in (True, False) if technician in deciders]
    return tuple(notices)


def fault_notice(code: str, place: str) -> Notice:
    """Return the notice of a fault, with who must act: whoever may clear it, or shut the door."""
    kind = explain(code)
    who = "attendant" if code == DOOR_OPEN else WHO[kind.clears]
    return Notice(
        code,
        in_words(code, place),
        place=place_in_words(place),
        who=who,
        stops_play=Stops.PLAY in kind.stops,
        template=kind.text,
        alarm=kind.alarm,
        lasting=kind.clears is not Clears.NEXT_PLAY,
    )


def lock_notice(error: LockingError) -> Notice:
    """Return the notice of what has locked the cabinet: the cause in its own words, and its kind to be translated."""
    return Notice(error.code, str(error), who="technician", stops_play=True, template=LOCKS[error.code], lasting=True)


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
