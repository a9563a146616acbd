"""The player's actions between rounds: arrive, choose a game and a bet, play, and cash out."""

from collections.abc import Awaitable, Callable

from controller import feature
from controller.errors import LockingError
from controller.faults import Stops
from controller.journal import rounds
from controller.journal.transaction import Transaction
from controller.machine.ports import SessionPages
from controller.machine.snapshot import choose
from controller.machine.states import State
from controller.machine.view import MachineParts
from controller.play.cashing_out import CashingOut
from controller.play.pages import Pages
from controller.play.playing import Playing, last_scene
from controller.play.showing import Shows
from controller.rounds.engine import remembered
from controller.session import betting
from controller.session.credit_words import NOT_ENOUGH, TOO_LITTLE, about_max_bet
from controller.session.player_session import LIMIT_REACHED, PlayerSession
from controller.session.session import Session, bet_on_opening, is_offered, keep_offered
from drivers.clock import Clock
from gamekit.catalogue import load
from ui.protocol.values import Bet


class Player:
    """The main flow: boot, recovery, then the player's actions, in an endless loop."""

    def __init__(
        self, machine: MachineParts, shows: Shows, playing: Playing, cashing_out: CashingOut, clock: Clock
    ) -> None:
        self._machine = machine
        self._playing = playing
        self._cashing_out = cashing_out
        self._left_cents = 0
        """The credit, a residue, with which the attract show began; a higher credit means that a player has come."""
        self._pages = Pages(machine, shows, playing, self._idle)
        build = next(feature.imported(lambda one: one.session_pages), None)
        self._session: SessionPages | None = None if build is None else build(machine, clock, self._collect)
        machine.play.session_pages = self._session
        self._places: dict[str, Callable[[str], Awaitable[None]]] = {
            State.ATTRACT: self._attract,
            State.LOBBY: self._lobby,
            State.COMPANION: self._witch,
            State.IDLE: self._idle,
            State.LOWEST_BET: self._lowest_bet,
            State.CONFIRM: self._confirm,
            **self._pages.places,
            **({} if self._session is None else self._session.places),
        }

    async def run(self) -> None:
        """Recover interrupted work, then serve the player until cancelled; a journal error locks the cabinet."""
        machine = self._machine
        try:
            await self._recover()
            while True:
                await self._follow_up()
                if self._session is not None:
                    await self._session.look()
                await self._serve()
        except LockingError as error:
            machine.journal.lock_up(error)
            await self._stay_locked()

    async def _follow_up(self) -> None:
        """Do the action of the press that collected a win, if it is live now: SPIN plays, BET changes the bet."""
        while control := self._playing.take_press():
            if control in self._machine.states.controls:
                await self._places[self._machine.states.state](control)

    async def _stay_locked(self) -> None:
        while True:
            await self._machine.states.next_input()

    async def _recover(self) -> None:
        machine = self._machine
        await self._playing.load()
        if machine.play.session.game:
            await last_scene(machine)
            await self._bet(machine.play.bet)
        if not await self._playing.resume() and await self._cashing_out.resume():
            machine.play.win_cents = 0
        if not is_offered(
            machine.play.session, machine.settings.config.games
        ):  # the resumed round was the last at such a bet
            machine.states.enter(State.ATTRACT)
            await machine.journal.do(lambda tx: keep_offered(tx, machine.settings.config.games))
            await machine.journal.reload()
        self._return_to_place()

    def _return_to_place(self) -> None:
        match State(self._machine.play.session.place):
            case State.LOBBY:
                self._enter_lobby()
            case State.COMPANION:
                self._enter_witch()
            case State.IDLE:
                self._machine.states.enter(State.IDLE)
            case _:
                self._left_cents = betting.residue_cents(
                    self._machine.settings.config, self._machine.journal.credit_cents
                )
                self._machine.states.enter(State.ATTRACT)

    async def _serve(self) -> None:
        machine = self._machine
        seconds = machine.settings.config.timing.attract_after_ms / 1000
        got = await machine.states.next_input(seconds)
        if got is None:
            residue = betting.residue_cents(machine.settings.config, machine.journal.credit_cents)
            if (
                machine.journal.credit_cents == residue
                and machine.states.state is not State.ATTRACT
                and machine.conditions.overlay is None
            ):
                await self._to_attract()
        elif got.kind == "press":
            await self._places[machine.states.state](got.what)
        elif (
            machine.states.state is State.ATTRACT
            and machine.journal.credit_cents > self._left_cents
            and machine.conditions.overlay is None
        ):
            await self._to_lobby()
        elif machine.states.state is State.LOWEST_BET and machine.journal.credit_cents >= machine.play.bet.cents:
            machine.states.enter(State.IDLE)  # the new credit covers the bet, so there is nothing to ask

    async def _attract(self, control: str) -> None:
        if control in ("spin", "screen", "info"):
            await self._to_lobby()

    async def _to_attract(self) -> None:
        await self._machine.states.choose(place="attract")
        self._left_cents = self._machine.journal.credit_cents
        self._machine.states.enter(State.ATTRACT)

    async def _to_lobby(self) -> None:
        """Let the player choose a game; a single game is opened at once."""
        machine = self._machine
        if len(machine.settings.config.games.enabled) == 1:
            await self._open_game(machine.settings.config.games.enabled[0])
            return
        await machine.states.choose(place="lobby")
        self._enter_lobby()

    def _enter_lobby(self) -> None:
        machine = self._machine
        game = machine.play.session.game or machine.settings.config.games.default
        machine.states.enter(State.LOBBY, focus=f"game:{game}" if game else "")

    async def _lobby(self, control: str) -> None:
        machine = self._machine
        if control.startswith("game:"):
            await self._open_game(control.removeprefix("game:"))
        elif control == "spin":
            await self._open_game(machine.play.focus.removeprefix("game:"))
        elif control.startswith("cursor:"):
            machine.states.focus_on(f"game:{control.removeprefix('cursor:')}")
        elif control in ("lines", "bet"):
            machine.states.move_focus([f"game:{name}" for name in machine.settings.config.games.enabled], control)
        elif control in ("home", "info"):
            await self._to_attract()
        elif control == "collect":
            await self._collect()

    async def _open_game(self, name: str) -> None:
        """Open a game at the previous bet if it was played last, otherwise at the game's first bet."""
        machine, game = self._machine, load(name)
        place = "witch" if game.companions else "idle"
        known = machine.play.session.game == name and machine.play.session.bet.lines
        bet = bet_on_opening(machine.play.session, game, machine.settings.config.games)
        if not known:
            machine.play.scene, machine.play.played_bet, machine.play.win_cents = None, None, 0
        await self._bet(bet, place=place, game=name)
        if not known:
            await last_scene(machine)  # its last round may have been the newest of all (L8)
            await self._bet(machine.play.bet)
        self._return_to_place()

    def _enter_witch(self) -> None:
        self._machine.states.enter(State.COMPANION, focus=f"witch:{self._machine.play.session.witch}")

    async def _witch(self, control: str) -> None:
        """Store the player's choice of witch, which no draw depends on (games/bewitched/RULES.md, 2)."""
        machine = self._machine
        if control in ("lines", "bet"):
            machine.states.move_focus([f"witch:{number}" for number in range(machine.play.game.companions)], control)
        elif control in ("collect", "home"):
            await machine.states.choose(place="lobby")
            self._enter_lobby()
        elif control == "spin" or control.startswith("witch:"):
            chosen = machine.play.focus if control == "spin" else control
            await machine.states.choose(place="idle", witch=int(chosen.removeprefix("witch:")))
            machine.states.enter(State.IDLE)

    async def _idle(self, control: str) -> None:
        if control == "spin":
            await self._spin()
            return
        machine, bet, game = self._machine, self._machine.play.bet, self._machine.play.game
        machine.play.message = ""
        if control == "max_bet":
            await self._max_bet()
        elif control in ("bet", "lines", "coin_value"):
            await self._bet(betting.stepped(game, machine.settings.config.games, bet, control))
        elif control == "total_bet":
            await self._bet(betting.stepped(game, machine.settings.config.games, bet, "bet"))
        elif control == "turbo":
            await machine.states.choose(turbo=not machine.play.session.turbo)
        elif control == "buy":
            machine.states.enter(State.CONFIRM)
        elif control == "session" and self._session is not None:
            await self._session.open()
        elif control == "collect":
            await self._collect()
        elif control == "home":
            await machine.states.choose(place="lobby")
            self._enter_lobby()
        else:
            await self._pages.open(control)

    async def _max_bet(self) -> None:
        """Choose the highest bet that the credit covers, and show its cost; SPIN plays it."""
        machine, games = self._machine, self._machine.settings.config.games
        credit_cents = machine.journal.credit_cents
        bet = betting.most(machine.play.game, games, machine.play.bet, credit_cents)
        machine.play.message = about_max_bet(machine.play.game, games, bet, credit_cents)
        await self._bet(bet)

    async def _bet(self, bet: Bet, **place: str) -> None:
        """Choose a bet and the player's place; show what the bet remembers before anything is staked on it."""
        machine = self._machine
        game = load(place.get("game", machine.play.session.game))

        def act(tx: Transaction) -> tuple[Session, PlayerSession, str]:
            return *choose(tx, bet=bet, **place), rounds.memory(tx, game.name, bet)

        machine.play.session, machine.play.care, memory = await machine.journal.do(act)
        if game.seated is not None:
            machine.play.scene = game.seated(machine.play.scene or game.idle, remembered(game, memory))
        machine.states.new_turn()

    async def _spin(self) -> None:
        """Play if the credit suffices; otherwise offer the lowest bet, if that is affordable."""
        machine = self._machine
        if Stops.PLAY in machine.conditions.stopped:
            return  # it came between the press and here
        if closed := self._playing.pool_closed:
            machine.states.enter(State.IDLE, message=closed)
            return
        if machine.journal.credit_cents >= machine.play.bet.cents:
            await self._play()
        else:
            self._want_credit()

    def _want_credit(self) -> None:
        """Show that the credit does not cover the bet; offer the lowest bet if the credit covers that."""
        machine = self._machine
        credit_cents = machine.journal.credit_cents
        if credit_cents >= machine.play.bet.cents:
            machine.states.enter(State.IDLE)  # the credit does not cover the price of a feature, but it covers the bet
        elif betting.lowest_bet(machine.play.game, machine.settings.config.games).cents <= credit_cents:
            machine.states.enter(State.LOWEST_BET, message=NOT_ENOUGH)
        else:
            machine.states.enter(State.IDLE, message=TOO_LITTLE)

    async def _play(self, price: int = 1) -> None:
        """Play a round, or show why it is refused; a reason with its own page comes next (`SessionPages.look`)."""
        refused = await self._playing.play(price=price)
        if refused == NOT_ENOUGH:
            self._want_credit()
        elif isinstance(refused, str):
            self._machine.states.enter(State.IDLE, message=refused if refused == LIMIT_REACHED else "")

    async def _lowest_bet(self, control: str) -> None:
        """Process the answer: the lowest bet is chosen, not staked."""
        machine = self._machine
        if control in ("spin", "lowest_bet:yes"):
            await self._bet(betting.lowest_bet(machine.play.game, machine.settings.config.games))
        if control in ("spin", "lowest_bet:yes", "collect", "lowest_bet:no"):
            machine.states.enter(State.IDLE)

    async def _confirm(self, control: str) -> None:
        """Process the answer: only this press buys the feature (games/mystery_elves/RULES.md)."""
        machine = self._machine
        if Stops.PLAY in machine.conditions.stopped:
            return  # it came between the press and here
        if control in ("spin", "buy:yes") and (closed := self._playing.pool_closed):
            machine.states.enter(State.IDLE, message=closed)
        elif control in ("spin", "buy:yes") and 0 < machine.play.buy_cents <= machine.journal.credit_cents:
            await self._play(machine.play.game.buy_price)
        elif control in ("spin", "buy:yes", "collect", "buy:no"):
            machine.states.enter(State.IDLE)

    async def _collect(self) -> None:
        message = await self._cashing_out.collect()
        self._return_to_place()
        if message:
            self._machine.play.message = message
            self._machine.states.refresh()
