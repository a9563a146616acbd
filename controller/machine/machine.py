"""The machine: what state it is in, what may be pressed, what the screen and the cabinet's front show.

`Machine` owns the state and everything that is derived from it by the table in `controller.machine.states`; the flows
(`controller.play.player`, `controller.play.playing`, `controller.play.cashing_out`) move it along. All of it lives on
the event loop; presses, keys, doors and acknowledgements arrive through an inbox and are dropped once their turn is
over.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import TypeVar

from controller.configuration.cabinet_toml import Config
from controller.configuration.file_changes import record_file_changes
from controller.errors import LockingError
from controller.faults import DOOR_OPEN, EVERYTHING, LARGE_WIN, Stops, stopped_by
from controller.journal.actor import Role
from controller.journal.errors import JournalError, RefusedError
from controller.journal.fault_states import door_closed, door_opened
from controller.journal.faults import RecordedFault, begin_retest
from controller.journal.journal import Journal
from controller.journal.open_items import OpenItem
from controller.journal.origin import BY, stamped
from controller.journal.pools import PoolKey
from controller.journal.settings import stored_settings
from controller.journal.transaction import Transaction
from controller.keys.pins import COST, Cost, PinFile
from controller.machine.inbox import Inbox
from controller.machine.key_switches import KeySwitches
from controller.machine.ports import Front, Input, Replaying, Screen
from controller.machine.posts import CHOICE_EVERY_S, CHOICES_AT_ONCE, Post, Posts, record_counted
from controller.machine.snapshot import Snapshot, read_snapshot
from controller.machine.states import BETWEEN_GAMES, TABLE, Row, State
from controller.machine.tower import tower_of
from controller.machine.view import live_controls, view_of
from controller.monitors.software_watch import SoftwareWatch
from controller.monitors.update_trial import UpdateTrial
from controller.service.locked import LockedMenu
from controller.service.menu import ServiceMenu
from controller.session.autospin import Autospin, Stop
from controller.session.autospin_panel import SettingsPanel
from controller.session.betting import gamble_cap
from controller.session.session import Session, change_session, keep_offered, toggle_muted
from controller.session.volume_panel import VolumePanel
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import fitted
from controller.system.clock_watch import ClockWatch, look_at_start
from controller.system.host import Host
from controller.system.network import Interfaces
from controller.system.starts import record_start
from controller.system.watchdog import PLAYER, POSTS, TaskMonitor
from controller.update.trust import at_start as software_at_start
from drivers.clock import Clock
from drivers.currency import Currency
from games.catalogue import load
from games.play import Game, Offer, Scene
from ui.messages import Bet, Paid, PastRound, Payout

T = TypeVar("T")

MOST_COMMITS = 50


def _all_done(tx: Transaction, due: Sequence[Post]) -> Snapshot:
    """Do all posts, and return what stands after them."""
    for post in due:
        post(tx)
    return read_snapshot(tx)


class Machine:
    """The state of the cabinet and its way to the player's eyes and fingers."""

    payout_waits = False
    """Whether a hopper stays away in the middle of its payout, so that the attendant's key may end it."""
    jackpot_won = False
    """Whether the last round took a jackpot; the tower light tells of it until the next."""
    played_bet: Bet | None = None
    """The bet that `scene` was played with; None where nothing was."""
    open_items: Sequence[OpenItem] = ()
    """The sums of money that wait for a person's decision."""
    demo_mode = False
    """Whether the credit is free and no money counts (U.9), until the next full clear."""
    held_cents = 0
    """What is held of payouts until it is known where it is."""
    calibration: tuple[float, ...] = ()
    """The touch screen's map, empty for none (`controller.machine.touch_calibration`)."""
    locked_menu: LockedMenu | None = None
    resumed = False
    service_called = False
    out_of_service = False
    tender: Currency | None = None
    """The currency that the devices were started with, None before a start."""
    power_was_on = False
    """Whether the computer ran on between the last supervisor and this one."""

    def __init__(
        self,
        config: Config,
        journal: Journal,
        screen: Screen,
        front: Front,
        clock: Clock,
        *,
        host: Host,
        interfaces: Interfaces | None = None,
        pin_cost: Cost = COST,
    ) -> None:
        self.file_config = config
        """What `cabinet.toml` says; `config` is that with the settings of the service menu."""
        self.config = config
        self._settings: dict[str, str] | None = None
        self.journal, self.pins = journal, PinFile(journal.path, pin_cost)
        self.screen = screen
        self.front = front
        self.clock = clock
        self.host = host
        """The computer that the program runs on."""
        self.interfaces = interfaces or Interfaces()
        """The network as the computer has it."""
        self.clock_watch = ClockWatch(host.lead_ms, clock, self.post)
        self.state = State.BOOTING
        self.turn = 0
        self.session = Session()
        self.message = self.focus = ""
        self.scene: Scene | None = None
        self.offer: Offer | None = None
        self.win_cents = 0
        self.at_risk_cents = 0
        self.unshown_win_cents = self.unshown_credit_cents = 0
        self.payout: Payout | None = None
        self.paid = Paid()
        self.autospin: Autospin | None = None
        self.autospin_panel: SettingsPanel | None = None
        self.volume_panel: VolumePanel | None = None
        self.history: tuple[PastRound, ...] = ()
        self.replaying: Replaying | None = None
        self.last_round: PastRound | None = None
        self.lock: LockingError | None = None
        self.commits_s: deque[float] = deque(maxlen=MOST_COMMITS)
        """How long the newest transactions took, in seconds, from asking until they were durable."""
        self.doors: dict[str, bool] = {}
        self.faults: list[RecordedFault] = []
        self.controls: frozenset[str] = frozenset()
        self.bet_ranges: dict[str, tuple[int, int]] = {}
        self.pools_cents: dict[PoolKey, int] = {}
        self.showing = False
        self.up = asyncio.Event()
        """Set once the machine has recovered what was interrupted, or has found that it must stay locked."""
        self.task_monitor = TaskMonitor(clock)
        self.service, self.keys = ServiceMenu(self), KeySwitches(self)
        self.software, self.update_trial = SoftwareWatch(self), UpdateTrial(self)
        self._obstructed = asyncio.Event()
        self._inbox, self.posts = Inbox(), Posts(clock)

    # what reaches the machine

    def press(self, control: str) -> None:
        """Take a press of a button or touch control, if that control lives now.

        Those that mean the same everywhere (attendant call, sound, autospin's STOP) are done at once, whatever the
        flows are doing.
        """
        if control not in self.controls:
            return
        if self.overlay is State.SERVICE_MENU:
            self.menu.press(control)
        elif control == "service":
            self.service_called = not self.service_called
            self.remark("service_call", "called" if self.service_called else "ended")
            self.refresh(while_showing=True)
        elif control == "auto" and self.autospin is not None and self.spins_by_itself:
            self.autospin.stop()
            self.refresh(while_showing=True)
        elif control == "sound":
            if self.lock is None:
                self.posts.count("sound", toggle_muted, at_once=CHOICES_AT_ONCE, every_s=CHOICE_EVERY_S)
        else:
            self._inbox.put(Input("press", control, turn=self.turn))

    def shown(self, number: int) -> None:
        """Take the display's word that shows up to `number` are over."""
        self.service.shown(number)
        self._inbox.put(Input("ack", number=number))

    def take(self, got: Input) -> None:
        """Hand something to the flow that waits for it."""
        self._inbox.put(got)

    def door(self, name: str, *, is_open: bool) -> None:
        """Take a door's state: an open one stops play at once, a closed one gives it back."""
        if (was_open := self.doors.get(name)) == is_open:
            return
        self.doors[name] = is_open
        self.service.look()
        self.post(lambda tx: door_opened(tx, name) if is_open else door_closed(tx, name))
        if was_open:
            self.software.door_shut(name)
        self.new_turn()

    def money_came(self) -> None:
        """Show the new credit, and let a waiting flow look at it."""
        self.refresh()
        self._inbox.put(Input("wake"))

    def key_alone(self, key: Role) -> bool:
        """Whether that key does without a name and a PIN; always where no technician could give anybody one."""
        return self.config.service.key_alone(key) or Role.TECHNICIAN not in self.file_config.pins.keys

    def post(self, act: Post) -> None:
        """Have something recorded soon, in order; nothing is once the cabinet is locked up."""
        if self.lock is None:
            self.posts.put(stamped(act))

    def remark(self, code: str, text: str, *, place: str = "", by: str = "") -> None:
        """Have an event recorded that a player, or somebody at a socket, causes as often as they like.

        It waits for all posts. What comes too fast is counted in one event, with the newest `text`, for each code and
        for each user that it is caused `by`.
        """
        if self.lock is None:
            self.posts.count(f"{code} {by}", lambda tx, times: record_counted(tx, times, code, text, place))

    # what the flows use

    async def do(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run one transaction; a journal that fails or refuses locks the cabinet for good, and the error goes on.

        One that need not be `durable` at once is so within seconds (`Journal.do`).
        """
        try:
            return await self.attempt(act, durable=durable)
        except RefusedError as error:
            self.lock_up(error)
            raise

    async def attempt(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run one transaction that may be refused, for whoever tells the refusal; a journal that fails locks up."""
        began = self.clock.now()
        try:
            return await self.journal.do(stamped(act), durable=durable)
        except RefusedError:
            raise
        except JournalError as error:
            self.lock_up(error)
            raise
        finally:
            self.commits_s.append(self.clock.now() - began)

    def lock_up(self, error: LockingError) -> None:
        """Stop everything with the reason on the screen; only a restart leads out of it."""
        if self.lock is None:
            self.lock = error
            self.locked_menu = LockedMenu(self.journal.path, error, self.new_turn)
            self.up.set()
            self.service.look()
            self.new_turn()

    async def next_input(self, seconds: float | None = None) -> Input | None:
        """Return the next input, or None after `seconds`; presses and keys meant for an earlier turn are dropped.

        So are presses of what no longer lives: a second one may have come before the first was dealt with.
        """
        try:
            # not wait_for, which in Python 3.11 swallows a cancellation that comes together with an input
            async with asyncio.timeout(seconds):
                while True:
                    with self.task_monitor.waiting(PLAYER):
                        got = await self._inbox.get()
                    dead = got.kind == "press" and got.what not in self.controls
                    if got.kind not in ("press", "key") or (got.turn == self.turn and not dead):
                        BY.set(got.by)
                        return got
        except TimeoutError:
            BY.set(None)
            return None

    async def clear_of_obstacles(self) -> None:
        """Return once nothing lies over the state: no open door, no fault that stops play."""
        while self.overlay is not None:
            await self.next_input()

    async def unless_obstructed(self, work: Coroutine[object, object, T]) -> T | None:
        """Return what `work` returns; cancel it and return None as soon as something lies over the state.

        It has ended in order before this returns, also where this is cancelled itself.
        """
        working, obstacle = asyncio.ensure_future(work), asyncio.ensure_future(self._obstructed.wait())
        try:
            await asyncio.wait({working, obstacle}, return_when=asyncio.FIRST_COMPLETED)
            return await working if working.done() else None
        finally:
            obstacle.cancel()
            working.cancel()
            await asyncio.gather(working, obstacle, return_exceptions=True)

    async def choose(self, **changes: object) -> None:
        """Change the session and make it durable."""
        self.session = await self.do(lambda tx: change_session(tx, **changes))
        self.new_turn()

    def enter(self, state: State, *, message: str = "", offer: Offer | None = None, focus: str = "") -> None:
        """Begin `state`: a new turn, in which presses meant for the old one are dead."""
        self.state = state
        self.up.set()
        self.message = message
        self.offer = offer
        self.focus = focus
        self.new_turn()

    def move_focus(self, controls: Sequence[str], control: str) -> None:
        """Move the panel's cursor over `controls`, round: BET on, LINES back."""
        step = 1 if control == "bet" else -1
        at = controls.index(self.focus) + step if self.focus in controls else 0
        self.focus = controls[at % len(controls)]
        self.refresh()

    def new_turn(self) -> None:
        """Drop every press that is still on its way, and show the present state."""
        self.turn += 1
        self.showing = False
        self._inbox.put(Input("wake"))
        self.refresh()

    # what is derived from the state

    @property
    def menu(self) -> ServiceMenu | LockedMenu:
        """The menu that a key opens now: of a locked cabinet only the meters can be read."""
        return self.service if self.locked_menu is None else self.locked_menu

    @property
    def overlay(self) -> State | None:
        """What lies over the state now."""
        if self.lock is not None:
            return State.SERVICE_MENU if self.menu.is_open else State.LOCKED
        if self.service.is_open:
            return State.SERVICE_MENU
        stopping = {code for code, place in self.active_faults if Stops.PLAY in stopped_by([(code, place)])}
        if not stopping:
            return State.OUT_OF_SERVICE if self.out_of_service else None
        return State.LARGE_WIN if stopping == {LARGE_WIN} else State.TILTED

    @property
    def active_faults(self) -> list[tuple[str, str]]:
        """The faults that stand, each a code and its place: open doors, as their switches say, then the journal's.

        A proof of the software that is under way stops play like a fault, and is none; so does an update.
        """
        told = [(fault.code, fault.place) for fault in self.faults]
        opened = [(DOOR_OPEN, name) for name, is_open in self.doors.items() if is_open]
        opened += self.software.standing + self.update_trial.standing
        return opened + [(code, place) for code, place in told if code != DOOR_OPEN or place not in self.doors]

    @property
    def stopped(self) -> Stops:
        """What must not be done now, whatever the state would allow."""
        return stopped_by(self.active_faults) if self.overlay is None else EVERYTHING

    @property
    def meters_held(self) -> bool:
        """Whether the hard meters are left alone: in demo mode, while the service menu is open (M11), and on trial."""
        return self.service.is_open or self.demo_mode or self.update_trial.on_trial

    @property
    def takes_coins(self) -> bool:
        """Whether coins are taken now (B3, B5)."""
        return self._takes_money and Stops.COINS not in self.stopped

    @property
    def takes_notes(self) -> bool:
        """Whether notes are taken now (B3, B5, D7)."""
        limit_cents = self.config.limits.notes_credit_cents
        too_much = limit_cents and self.credit_cents >= limit_cents
        return self._takes_money and not too_much and Stops.NOTES not in self.stopped

    @property
    def pays_coins(self) -> bool:
        """Whether COLLECT may begin with the hopper; where it may not, the attendant pays by hand (B8)."""
        return Stops.PAYOUT not in self.stopped

    @property
    def _takes_money(self) -> bool:
        other_money = self.tender not in {None, self.config.cabinet.money.tender}  # from the next start
        too_much = self.credit_cents >= self.config.limits.credit_cents
        return self.row.money and not (self.demo_mode or too_much or other_money)

    @property
    def row(self) -> Row:
        """The table's line that holds now."""
        return TABLE[self.overlay or self.state]

    @property
    def game(self) -> Game:
        """The game on the screen."""
        return load(self.session.game)

    @property
    def bet(self) -> Bet:
        """The bet that SPIN would stake."""
        return self.session.bet

    @property
    def buy_cents(self) -> int:
        """What the feature on sale costs at the chosen bet; 0 where none is."""
        return self.game.buy_price * self.bet.cents if self.session.game else 0

    @property
    def gamble_cap_cents(self) -> int:
        """The highest amount that may be gambled in this game; 0 for no gamble."""
        return gamble_cap(self.game, self.config.games) if self.session.game else 0

    @property
    def spins_by_itself(self) -> bool:
        """Whether autospin runs and has no reason yet to stop."""
        return self.autospin is not None and self.autospin.stopped is None

    @property
    def credit_cents(self) -> int:
        """The credit meter."""
        return self.journal.credit_cents

    def refresh(self, *, while_showing: bool = False) -> None:
        """Bring lamps, money devices, tower light and screen in line with the state.

        The screen follows at the end of a show, which rolls its figures up, unless `while_showing`.
        """
        row = self.row
        if self.overlay is None:
            self._obstructed.clear()
        else:
            self._obstructed.set()
            if self.autospin is not None:
                self.autospin.stop(Stop.INTERRUPTED)
        self.controls = live_controls(self, row)
        self.front.lamps({name: pattern for name, pattern in row.lamps.items() if name in self.controls})
        self.front.tower(tower_of(self))
        notes = frozenset(self.config.limits.notes_cents) if self.takes_notes else frozenset[int]()
        self.front.take_money(coins=self.takes_coins, notes_cents=notes)
        if while_showing or not self.showing:
            self.screen.publish(view_of(self), turn=self.turn)

    # what the journal says

    async def power_up(self, boot: str) -> None:
        """Record the start, take up what stands in the journal, and let faults show anew whether they still are.

        `boot` names this start of the computer (`controller.system.starts`).
        """

        def act(tx: Transaction) -> Snapshot:
            look_at_start(tx)
            start = record_start(tx, boot, crash_locks=self.file_config.cabinet.crash_locks)
            self.power_was_on = start.power_was_on
            begin_retest(tx)
            if self.software.is_installed:
                software_at_start(tx)
            record_file_changes(tx, self.file_config)
            look_at_set_up(tx, self.file_config)
            keep_offered(tx, fitted(self.file_config, stored_settings(tx)).config.games)
            return read_snapshot(tx)

        self.take_up(await self.do(act))

    async def run_posts(self) -> None:
        """Record what was left to be recorded, in order, until cancelled."""
        while True:
            with self.task_monitor.waiting(POSTS):
                due = await self.posts.next()
            try:
                self.take_up(await self.attempt(lambda tx: _all_done(tx, due)))  # noqa: B023 - called within this pass
            except RefusedError:
                for post in due:  # the one that is refused locks up, and takes no other with it
                    await self.record(post)

    async def reload(self) -> None:
        """Look again at what stands in the journal, and show what has changed."""
        self.take_up(await self.do(read_snapshot))

    async def record(self, post: Post) -> None:
        """Run one transaction, and go by what stands in the journal after it."""
        self.take_up(await self.do(lambda tx: _all_done(tx, (post,))))

    def take_news(self, stands: Snapshot) -> None:
        """Take up what stands in the journal where a fault or an open item has come or gone."""
        before = (self.faults, self.open_items, self.held_cents)
        if (stands.faults, stands.open_items, stands.held_cents) != before:
            self.take_up(stands)

    def _take_settings(self, settings: dict[str, str]) -> None:
        """Go by these settings from now on; where other games are on offer now, the player chooses again."""
        first, games, network = self._settings is None, self.config.games, self.config.network
        self._settings, self.config = settings, fitted(self.file_config, settings).config
        if first:
            self.tender = self.config.cabinet.money.tender
        if first or self.config.network != network:
            self._switch_network()
        if self.config.games != games and self.state in BETWEEN_GAMES:
            self.state = State.ATTRACT
            self.scene, self.played_bet, self.win_cents = None, None, 0

    def _switch_network(self) -> None:
        """Have the network as it is set; what the system does not allow is an event."""
        told = self.interfaces.obey(self.config.network)
        if told:
            self.post(lambda tx: tx.event("network", told))

    def take_up(self, stands: Snapshot) -> None:
        """Go by what stands in the journal, and show what has changed."""
        before, was_muted = self.overlay, self.session.muted
        self.session, self.faults, self.open_items = stands.session, stands.faults, stands.open_items
        self.out_of_service, self.paid, self.demo_mode = stands.out_of_service, stands.paid, stands.demo_mode
        settings, self.calibration, self.held_cents = stands.settings, stands.calibration, stands.held_cents
        if settings != self._settings:
            self._take_settings(settings)
        if self.overlay is before:
            self.refresh(while_showing=self.session.muted is not was_muted)
        else:
            self.new_turn()
