"""The machine's controls, view and notices, derived from its state."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from controller.configuration.cabinet_toml import Site
from controller.errors import LockingError
from controller.faults import (
    CLOSED_POOLS,
    DOOR_OPEN,
    KEY_TURNED,
    LOCKS,
    Clears,
    Stops,
    explain,
    in_words,
    place_in_words,
)
from controller.journal.pools import PoolKey
from controller.machine.conditions import Conditions
from controller.machine.game_state import GameState
from controller.machine.journal_port import JournalPort
from controller.machine.past_round import with_past_round
from controller.machine.ports import Replaying
from controller.machine.settings_store import SettingsStore
from controller.machine.state_machine import StateMachine
from controller.machine.states import Row, State
from controller.session import betting
from controller.session.credit_words import RESIDUE, holds
from controller.session.session import bet_on_opening
from gamekit.catalogue import load
from ui.protocol.messages import Notice, OpenPages, View, raw
from ui.protocol.values import SessionFigures
from ui.protocol.view_parts import (
    Balance,
    Jackpot,
    LobbyGames,
    Locale,
    OutputSettings,
    PastRounds,
    ShownRound,
    Status,
    Terms,
)


class MachineParts(NamedTuple):
    """The parts of the machine that its flows change and its view is derived from."""

    journal: JournalPort
    settings: SettingsStore
    conditions: Conditions
    play: GameState
    states: StateMachine


WHO = {Clears.ITSELF: "", Clears.NEXT_PLAY: "", Clears.ATTENDANT: "attendant", Clears.TECHNICIAN: "technician"}
"""The role that clears a fault of each class, empty if no role is needed."""
OPEN_ITEM = {True: "open_item", False: "open_item_attendant"}
"""The notice of an open item, by whether a technician must decide it."""


MENU = ("paytable", "coin_value", "total_bet", "buy", "turbo", "sound", "settings", "history", "session", "home")
"""The items of the menu, in order: the idle game's controls that have no button, and a bet chosen by its total."""
MENU_ROOM = 8
"""The number of items that fit on the page. The bet, which the panel changes too, makes room for the others."""

SERVICE_CALL = "The attendant has been called"

_PAYS_OUT = (State.LOBBY, State.IDLE, State.REALITY_CHECK, State.LOSS_LIMIT, State.BREAK)
"""States in which COLLECT pays out instead of leaving or declining."""


def live_controls(parts: MachineParts, row: Row) -> frozenset[str]:
    """Return the live buttons and touch controls: the controls of the table that can do something now."""
    if parts.conditions.overlay is State.SERVICE_MENU:
        return parts.conditions.menu.controls
    live = {*row.lamps, *(control for control in row.touch if not control.endswith(":"))}
    if parts.conditions.overlay is None:
        live = (live | _named(parts)) - _dead(parts)
    if parts.journal.credit_cents == 0 and parts.states.state in _PAYS_OUT:
        live.discard("collect")
    return frozenset(live)


def menu_of(parts: MachineParts) -> tuple[str, ...]:
    """Return the items that the menu lists now, without those that would do nothing."""
    dead = _idle_dead(parts)
    items = tuple(item for item in MENU if item not in dead)
    return items if len(items) <= MENU_ROOM else tuple(item for item in items if item != "total_bet")


def _named(parts: MachineParts) -> frozenset[str]:
    """Return the live controls for the table's prefixes: games, choices and items of pages."""
    named: Iterable[str] = ()
    match parts.states.state:
        case State.LOBBY:
            enabled = parts.settings.config.games.enabled
            named = (f"{does}:{name}" for does in ("game", "cursor") for name in enabled)
        case State.COMPANION | State.PAYTABLE:
            named = (f"witch:{number}" for number in range(parts.play.game.companions))
        case State.OFFER | State.GAMBLE if parts.play.offer is not None and parts.play.offer.pick:
            named = (f"choice:{choice}" for choice in parts.play.offer.choices)
        case State.AUTOSPIN if parts.play.autospin_panel is not None:
            named = parts.play.autospin_panel.touches
        case State.MENU:
            named = menu_of(parts)
        case State.SESSION | State.REALITY_CHECK if parts.play.session_pages is not None:
            named = parts.play.session_pages.keys
        case State.SETTINGS if parts.play.volume_panel is not None:
            named = parts.play.volume_panel.touches
        case State.HISTORY:
            named = (f"history:{past.number}" for past in parts.play.history)
    return frozenset(named)


def _dead(parts: MachineParts) -> frozenset[str]:
    """Return the controls in the state's table that do nothing now."""
    dead: Iterable[str] = ()
    match parts.states.state:
        case State.LOBBY:
            alone = len(parts.settings.config.games.enabled) == 1
            # with credit, the attract screen would return here at once
            left = parts.journal.credit_cents == betting.residue_cents(
                parts.settings.config, parts.journal.credit_cents
            )
            none = () if parts.settings.config.games.enabled else ("spin", "lines", "bet")
            dead = (*none, *(("lines", "bet") if alone else ()), *(() if left else ("home", "info")))
        case State.IDLE | State.GAMBLE_OFFER:
            dead = _idle_dead(parts)
        case State.PAYTABLE:
            # the menu's items act on an idle game, and with an `offer` the round is not over
            dead = (*(() if parts.play.game.companions else ("max_bet",)), *(("menu",) if parts.play.offer else ()))
        case State.AUTOSPIN if parts.play.autospin_panel is not None:
            dead = parts.play.autospin_panel.dead_buttons
        case State.HISTORY if not parts.play.history:
            dead = ("spin", "lines", "bet")
        case State.ROUND:
            dead = _round_dead(parts)
        case State.REALITY_CHECK | State.LOSS_LIMIT if parts.play.session_pages is not None:
            dead = parts.play.session_pages.dead
        case State.OFFER:
            dead = _offer_dead(parts)
    return frozenset(dead)


def _round_dead(parts: MachineParts) -> frozenset[str]:
    """Return a round's buttons that do nothing: AUTO without autospin, STOP if the house has none."""
    stop = parts.settings.config.games.stop
    return frozenset({*(() if parts.play.spins_by_itself else ("auto",)), *(() if stop else ("spin",))})


def _shown_session(parts: MachineParts) -> SessionFigures | None:
    """Return the session's figures if every screen shows them, without a win that is not shown yet."""
    play = parts.play
    if not (parts.settings.config.player.panel and play.care.active):
        return None
    figures = play.session_figures
    return msgspec.structs.replace(figures, net_cents=figures.net_cents - play.unshown_credit_cents)


def _offer_dead(parts: MachineParts) -> frozenset[str]:
    """Return the buttons that do not answer the offer, and AUTO if there is nothing to stop."""
    dead = set() if parts.play.spins_by_itself else {"auto"}
    if parts.play.offer is None or not parts.play.offer.pick:
        dead |= {"lines", "bet"}
    return frozenset(dead)


def _idle_dead(parts: MachineParts) -> frozenset[str]:
    """Return the idle game's controls that do nothing in this game, at this bet or with this credit.

    The amount at risk counts as credit, because it is collected before anything is bought.
    """
    house, pages = parts.settings.config.games, parts.play.session_pages
    dead = set() if house.autospin else {"auto"}
    if not house.turbo:
        dead.add("turbo")
    if pages is None or not pages.offered:
        dead.add("session")
    bets = betting.total_bets(parts.play.game, parts.settings.config.games)
    dead.add("coin_value" if bets else "total_bet")
    if len(bets) == 1:
        dead.add("total_bet")
    if bets and parts.play.bet.cents == bets[0]:
        dead.add("lines")
    if not 0 < parts.play.buy_cents <= parts.journal.credit_cents + parts.play.at_risk_cents:
        dead.add("buy")
    return frozenset(dead)


def view_of(parts: MachineParts) -> View:
    """Return the view that a display must draw now."""
    conditions, play, states = parts.conditions, parts.play, parts.states
    view = View(
        state=conditions.overlay or states.state,
        controls=tuple(sorted(states.controls)),
        focus=play.focus,
        message=_message(parts),
        notices=_notices(parts),
        game=play.session.game if _in_game(parts) else "",
        bet=play.bet if play.session.game else None,
        round=_round(parts),
        terms=_terms(parts),
        balance=_balance(parts),
        lobby=_lobby(parts),
        past=_past(parts),
        pages=_pages(parts),
        status=Status(demo_mode=conditions.demo_mode, clock=play.clock, session=_shown_session(parts)),
        locale=locale_of(parts.settings.config.cabinet),
        output=_output(parts),
    )
    if conditions.service.is_open:
        return conditions.service.covered(view)
    return view if play.replaying is None else _replayed(view, play.replaying)


def _in_game(parts: MachineParts) -> bool:
    """Whether a game's own screens are shown."""
    outside = (State.BOOTING, State.ATTRACT, State.LOBBY)
    return bool(parts.play.session.game) and parts.states.state not in outside


def _round(parts: MachineParts) -> ShownRound:
    """Return the round on the reels, without what is not shown yet."""
    play = parts.play
    auto = play.autospin if play.spins_by_itself else None
    return ShownRound(
        scene=raw(play.scene),
        offer=raw(play.offer),
        played_bet=play.played_bet if play.session.game else None,
        win_cents=play.win_cents - play.unshown_win_cents,
        at_risk_cents=play.at_risk_cents,
        plain=play.plain,
        resumed=play.resumed,
        autospin_of=0 if auto is None else auto.of,
        autospin_left=0 if auto is None else auto.left,
    )


def _terms(parts: MachineParts) -> Terms:
    """Return what the open game sells and pays at the present bet."""
    play, games = parts.play, parts.settings.config.games
    if not _in_game(parts):
        return Terms(witch=play.session.witch)
    lowest = parts.states.state is State.LOWEST_BET
    return Terms(
        bets_cents=betting.total_bets(play.game, games),
        lowest_bet_cents=betting.lowest_bet(play.game, games).cents if lowest else 0,
        buy_cents=play.buy_cents,
        gamble_cap_cents=play.gamble_cap_cents,
        jackpot_cents=_pool_cents(parts),
        witch=play.session.witch,
    )


def _pool_cents(parts: MachineParts) -> int:
    """Return the open game's pool at the chosen coin value, 0 if there is none."""
    session = parts.play.session
    return parts.play.pools_cents.get(PoolKey(session.game, session.bet.coin_value_cents), 0)


def _balance(parts: MachineParts) -> Balance:
    """Return the player's money as it is shown, and which money is taken."""
    credit_cents = parts.journal.credit_cents
    return Balance(
        credit_cents=credit_cents - parts.play.unshown_credit_cents,
        residue_cents=betting.residue_cents(parts.settings.config, credit_cents),
        held_cents=parts.conditions.held_cents,
        payout=parts.play.payout,
        paid=parts.play.paid,
        accepts_coins=parts.states.takes_coins,
        accepts_notes=parts.states.takes_notes,
    )


def _lobby(parts: MachineParts) -> LobbyGames:
    """Return the games to choose from."""
    games = parts.settings.config.games
    return LobbyGames(
        games=games.enabled,
        coin_values_cents=games.coin_values_cents,
        bet_ranges=parts.play.bet_ranges,
        jackpots=_jackpots(parts),
    )


def _past(parts: MachineParts) -> PastRounds:
    """Return the rounds that are over; a replay is added by `_replayed`."""
    last = parts.play.last_round
    large = last if parts.conditions.overlay is State.LARGE_WIN else None
    return PastRounds(
        last_round=last,
        large_win_cents=0 if large is None else large.win_cents,
        history=parts.play.history if parts.states.state is State.HISTORY else (),
    )


def _pages(parts: MachineParts) -> OpenPages:
    """Return the content of the pages that are open."""
    play, state = parts.play, parts.states.state
    panel = play.autospin_panel if state is State.AUTOSPIN else None
    return OpenPages(
        menu=menu_of(parts) if state is State.MENU else (),
        autospin=None if panel is None else panel.shown,
        care=None if play.session_pages is None else play.session_pages.page,
        service=parts.conditions.menu.page,
    )


def locale_of(cabinet: Site) -> Locale:
    """Return the cabinet's language and formats."""
    return Locale(language=cabinet.language, money=cabinet.written_money, dates=cabinet.written_dates)


def _output(parts: MachineParts) -> OutputSettings:
    """Return how the display sounds, moves and is touched."""
    config, session, state = parts.settings.config, parts.play.session, parts.states.state
    chosen = parts.play.volume_panel if state is State.SETTINGS else None
    quiet = state is State.ATTRACT and not config.sound.attract
    return OutputSettings(
        muted=session.muted or parts.conditions.silenced or quiet,
        volumes=session.volumes if chosen is None else chosen.volumes,
        loudest_percent=config.sound.percent,
        turbo=parts.play.turbo,
        brightness_percent=config.display.brightness_percent,
        touch=parts.settings.calibration,
    )


def _replayed(view: View, replaying: Replaying) -> View:
    """Return `view` with a past round on its reels; the credit stays the player's."""
    return with_past_round(
        view,
        past=replaying.past,
        bet=replaying.bet,
        scene=replaying.scene,
        win_cents=replaying.win_cents,
        companion=replaying.companion,
    )


def _message(parts: MachineParts) -> str:
    """Return the machine's message if it is still true."""
    credit, games = parts.journal.credit_cents, parts.settings.config.games
    if parts.play.message in CLOSED_POOLS or (not parts.play.message and parts.states.state is State.IDLE):
        return parts.play.pool_closed  # shown as long as the pool is closed, whether a button was pressed or not
    if parts.play.message == RESIDUE:
        return parts.play.message if betting.residue_cents(parts.settings.config, credit) else ""
    if not parts.play.session.game:
        return parts.play.message
    return parts.play.message if holds(parts.play.message, parts.play.game, games, parts.play.bet, credit) else ""


def _jackpots(parts: MachineParts) -> dict[str, Jackpot]:
    """Return the pool of each game at the bet that opening the game chooses, and the bet that wins it.

    The highest pool may be that of any coin value, because each grows by its own bets.
    """
    jackpots: dict[str, Jackpot] = {}
    enabled = parts.settings.config.games.enabled
    for name in dict.fromkeys(key.game for key in parts.play.pools_cents if key.game in enabled):
        game = load(name)
        value = bet_on_opening(parts.play.session, game, parts.settings.config.games).coin_value_cents
        if PoolKey(name, value) in parts.play.pools_cents:
            jackpots[name] = Jackpot(
                cents=parts.play.pools_cents[PoolKey(name, value)],
                coin_value_cents=value,
                lines=game.line_counts[-1] if game.pool_at_highest_bet else 0,
                coins_per_line=game.coins_per_line[-1] if game.pool_at_highest_bet else 0,
                closed=parts.play.pools_closed.get(PoolKey(name, value), ""),
            )
    return jackpots


def _notices(parts: MachineParts) -> tuple[Notice, ...]:
    notices = []
    if parts.journal.lock is not None:
        notices.append(lock_notice(parts.journal.lock))
    if parts.play.ticket_refused:  # it answers what the player has just done, so it comes before lasting notices
        words = parts.play.refusal
        notices.append(Notice(parts.play.ticket_refused, words, template=words))
    heard = parts.conditions.heard_alarms
    faults = [fault_notice(*fault, silenced=fault in heard) for fault in parts.conditions.active]
    # Untrusted books contradict notices of mere events, such as a restart after which the credit was kept.
    notices += [fault for fault in faults if fault.stops_play or parts.journal.lock is None]
    if parts.conditions.service_called:
        notices.append(Notice("service_call", SERVICE_CALL, template=SERVICE_CALL, lasting=True))
    most_cents = parts.settings.config.limits.open_item_cents
    items = parts.conditions.open_items if parts.journal.lock is None else ()
    deciders = {item.wants_technician(most_cents) for item in items}
    notices += [fault_notice(OPEN_ITEM[technician], "") for technician in (True, False) if technician in deciders]
    return tuple(notices)


def fault_notice(code: str, place: str, *, silenced: bool = False) -> Notice:
    """Return the notice of a fault, with the role that may clear it, close the door or turn the key back."""
    kind = explain(code)
    who = {DOOR_OPEN: "attendant", KEY_TURNED: place}.get(code, WHO[kind.clears])
    return Notice(
        code,
        in_words(code, place),
        place=place_in_words(place),
        who=who,
        stops_play=Stops.PLAY in kind.stops,
        template=kind.text,
        alarm=kind.alarm,
        lasting=kind.clears is not Clears.NEXT_PLAY,
        silenced=silenced and kind.alarm,
    )


def lock_notice(error: LockingError) -> Notice:
    """Return the notice of the error that locked the cabinet: its own message, and its kind to be translated."""
    return Notice(error.code, str(error), who="technician", stops_play=True, template=LOCKS[error.code], lasting=True)
