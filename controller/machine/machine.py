"""The machine: the assembly of its parts, and its start."""

from collections.abc import Sequence

from controller.configuration.cabinet_toml import Config
from controller.configuration.file_changes import record_file_changes
from controller.journal import money, pulses
from controller.journal.event_catalogue import Event
from controller.journal.faults import begin_retest
from controller.journal.journal import Journal
from controller.journal.settings import stored_settings
from controller.journal.transaction import Transaction
from controller.keys.pins import COST, Cost, PinFile
from controller.machine.conditions import Conditions
from controller.machine.game_state import GameState
from controller.machine.jackpots import Jackpots
from controller.machine.journal_port import JournalPort
from controller.machine.key_switches import KeySwitches
from controller.machine.ports import Front, Screen
from controller.machine.posts import Post
from controller.machine.presenter import Presenter
from controller.machine.settings_store import SettingsStore
from controller.machine.snapshot import Snapshot, read_snapshot
from controller.machine.state_machine import StateMachine
from controller.machine.tickets import Tickets
from controller.machine.view import MachineParts
from controller.session.betting import within_limits
from controller.session.player_session import keeper
from controller.session.session import keep_offered
from controller.settings.set_up import look_at_set_up
from controller.settings.settings import fitted
from controller.system.clock_watch import ClockWatch, look_at_start
from controller.system.host import Host
from controller.system.network import Interfaces
from controller.system.starts import record_start
from controller.system.watchdog import TaskMonitor
from drivers.clock import Clock


class Machine:
    """The parts of one cabinet's machine, in order of dependency; each gets the lower parts that it needs."""

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
        self.clock, self.host, self.screen = clock, host, screen
        self.pins = PinFile(journal.path, pin_cost)
        self.task_monitor = TaskMonitor(clock)
        self.at_start: list[Post] = []
        """What features do in the transaction of the start."""
        self.journal = JournalPort(journal, clock, self.task_monitor)
        self.settings = SettingsStore(config, interfaces or Interfaces())
        self.conditions = Conditions(self.journal)
        self.play = GameState(self.settings)
        self.states = StateMachine(
            self.journal, self.settings, self.conditions, self.play, self.task_monitor, clock=clock
        )
        self.parts = MachineParts(self.journal, self.settings, self.conditions, self.play, self.states)
        self.jackpots = Jackpots(self.journal, self.conditions, self.states, clock)
        self.conditions.register(self.jackpots.active)
        self.conditions.register(self.settings.active)
        self.tickets = Tickets()
        Presenter(self.parts, screen, front)
        self.keys = KeySwitches(*self.parts)
        self.clock_watch = ClockWatch(host.lead_ms, clock, self.journal.post)

    def withdraw(self, game: str, reason: str) -> None:
        """Stop offering a game that the display cannot show; a round in play ends by the house's rules."""
        if self.settings.withdraw(game, reason):
            self.journal.remark(Event.GAME_UNFIT, place="display", game=game, reason=reason)
            self.conditions.update()
            self.states.offer_again()

    def admit(self, game: str) -> None:
        """Start to offer a game that was awaited, in any state."""
        if self.settings.await_games(self.settings.awaited - {game}):
            self.states.refresh(while_showing=True)

    async def power_up(self, boot: str, *, at_start: Sequence[Post] = (), was_full: bool = False) -> None:
        """Record the start, run `at_start`, apply the journal's state, and mark the faults for a retest.

        `boot` names this start of the computer. `was_full` says whether the disk was full (`controller.system.starts`).
        """
        file_config = self.settings.file_config

        def act(tx: Transaction) -> Snapshot:
            look_at_start(tx)
            start = record_start(tx, boot, crash_locks=file_config.cabinet.crash_locks, was_full=was_full)
            self.conditions.power_was_on = start.power_was_on
            begin_retest(tx)
            self.jackpots.at_start(tx)
            for post in (*self.at_start, *at_start):
                post(tx)
            record_file_changes(tx, file_config)
            pulses.doubt_absent(tx, {f"pulse_{kind}" for kind in file_config.pins.pulse})
            if file_config.coin_acceptor is None:
                money.doubt_others(tx, None)
            look_at_set_up(tx, file_config)
            keeper().at_start(tx)
            keep_offered(tx, within_limits(fitted(file_config, stored_settings(tx)).config).games)
            return read_snapshot(tx)

        self.conditions.update()
        snapshot = await self.journal.do(act)
        self.play.session_began_s = self.clock.now() - 60 * snapshot.care.minutes
        self.states.apply_snapshot(snapshot)
