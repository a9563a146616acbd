"""What the player does between rounds: come, choose a game and a bet, play, leave with the money."""

from collections.abc import Awaitable, Callable

import msgspec

from controller.errors import LockingError
from controller.journal import rounds
from controller.journal.transaction import Transaction
from controller.machine.machine import Machine
from controller.machine.states import State
from controller.play.cashing_out import CashingOut
from controller.play.pages import Pages
from controller.play.playing import Playing, last_scene
from controller.rounds.engine import remembered, wager_on
from controller.session import betting
from controller.session.credit_words import NOT_ENOUGH, TOO_LITTLE, about_max_bet
from controller.session.session import Session, bet_on_opening, change_session, is_offered, keep_offered
from games.catalogue import load
from ui.messages import Bet


class Player:
    """The main flow: from boot through recovery to whatever the player does next, for ever."""

    def __init__(self, machine: Machine, playing: Playing, cashing_out: CashingOut) -> None:
        self._machine = machine
        self._playing = playing
        self._cashing_out = cashing_out
        self._left_cents = 0
        """The credit, a residue, that the attract show has begun with; more of it is a player's who has come."""
        self._pages = Pages(machine, playing, self._idle)
        self._places: dict[str, Callable[[str], Awaitable[None]]] = {
            State.ATTRACT: self._attract,
            State.LOBBY: self._lobby,
            State.WITCH: self._witch,
            State.IDLE: self._idle,
            State.LOWEST_BET: self._lowest_bet,
            State.CONFIRM: self._confirm,
            **self._pages.places,
        }

    async def run(self) -> None:
        """Recover what was interrupted, then serve the player until cancelled; stops where the journal fails."""
        machine = self._machine
        try:
            await self._recover()
            while True:
                await self._follow_up()
                await self._serve()
        except LockingError as error:
            machine.lock_up(error)
            await self._stay_locked()

    async def _follow_up(self) -> None:
        """Do what the press was meant for that has collected a win, if that lives now: SPIN plays, BET bets."""
        while control := self._playing.take_press():
            if control in self._machine.controls:
                await self._places[self._machine.state](control)

    async def _stay_locked(self) -> None:
        while True:
            await self._machine.next_input()

    async def _recover(self) -> None:
        machine = self._machine
        await self._playing.load()
        if machine.session.game:
            await last_scene(machine)
            await self._bet(machine.bet)
        if not await self._playing.resume() and await self._cashing_out.resume():
            machine.win_cents = 0
        if not is_offered(machine.session, machine.config.games):  # the resumed round was the last at such a bet
            machine.enter(State.ATTRACT)
            await machine.do(lambda tx: keep_offered(tx, machine.config.games))
            await machine.reload()
        self._return_to_place()

    def _return_to_place(self) -> None:
        match State(self._machine.session.place):
            case State.LOBBY:
                self._enter_lobby()
            case State.WITCH:
                self._enter_witch()
            case State.IDLE:
                self._machine.enter(State.IDLE)
            case _:
                self._left_cents = betting.residue_cents(self._machine.config, self._machine.credit_cents)
                self._machine.enter(State.ATTRACT)

    async def _serve(self) -> None:
        machine = self._machine
        seconds = machine.config.timing.attract_after_ms / 1000
        got = await machine.next_input(seconds)
        if got is None:
            residue = betting.residue_cents(machine.config, machine.credit_cents)
            if machine.credit_cents == residue and machine.state is not State.ATTRACT and machine.overlay is None:
                await self._to_attract()
        elif got.kind == "press":
            await self._places[machine.state](got.what)
        elif machine.state is State.ATTRACT and machine.credit_cents > self._left_cents and machine.overlay is None:
            await self._to_lobby()
        elif machine.state is State.LOWEST_BET and machine.credit_cents >= machine.bet.cents:
            machine.enter(State.IDLE)  # what has come in pays for the bet: there is nothing to ask any more

    async def _attract(self, control: str) -> None:
        if control in ("spin", "screen", "info"):
            await self._to_lobby()

    async def _to_attract(self) -> None:
        await self._machine.choose(place="attract")
        self._left_cents = self._machine.credit_cents
        self._machine.enter(State.ATTRACT)

    async def _to_lobby(self) -> None:
        """Let the player choose a game; where there is only one, it is opened."""
        machine = self._machine
        if len(machine.config.games.enabled) == 1:
            await self._open_game(machine.config.games.enabled[0])
            return
        await machine.choose(place="lobby")
        self._enter_lobby()

    def _enter_lobby(self) -> None:
        machine = self._machine
        machine.enter(State.LOBBY, focus=f"game:{machine.session.game or machine.config.games.default}")

    async def _lobby(self, control: str) -> None:
        machine = self._machine
        if control.startswith("game:"):
            await self._open_game(control.removeprefix("game:"))
        elif control == "spin":
            await self._open_game(machine.focus.removeprefix("game:"))
        elif control in ("lines", "bet"):
            machine.move_focus([f"game:{name}" for name in machine.config.games.enabled], control)
        elif control in ("home", "info"):
            await self._to_attract()
        elif control == "collect":
            await self._collect()

    async def _open_game(self, name: str) -> None:
        """Sit the player down at a game: at the bet of before where it was played last, else at the game's first."""
        machine, game = self._machine, load(name)
        place = "witch" if game.companions else "idle"
        known = machine.session.game == name and machine.session.lines
        bet = bet_on_opening(machine.session, game, machine.config.games)
        if not known:
            machine.scene, machine.played_bet, machine.win_cents = None, None, 0
        await self._bet(bet, place=place, game=name)
        if not known:
            await last_scene(machine)  # its last round may have been the last of all (L8)
            await self._bet(machine.bet)
        self._return_to_place()

    def _enter_witch(self) -> None:
        self._machine.enter(State.WITCH, focus=f"witch:{self._machine.session.witch}")

    async def _witch(self, control: str) -> None:
        """Take the player's witch, of whom no play is told (rules/bewitched.txt, 2)."""
        machine = self._machine
        if control in ("lines", "bet"):
            machine.move_focus([f"witch:{number}" for number in range(machine.game.companions)], control)
        elif control in ("collect", "home"):
            await machine.choose(place="lobby")
            self._enter_lobby()
        elif control == "spin" or control.startswith("witch:"):
            chosen = machine.focus if control == "spin" else control
            await machine.choose(place="idle", witch=int(chosen.removeprefix("witch:")))
            machine.enter(State.IDLE)

    async def _idle(self, control: str) -> None:
        machine, bet, game = self._machine, self._machine.bet, self._machine.game
        if control == "spin":
            await self._spin()
            return
        machine.message = ""
        if control == "max_bet":
            await self._max_bet()
        elif control in ("bet", "lines", "coin_value"):
            await self._bet(betting.stepped(game, machine.config.games, bet, control))
        elif control == "turbo":
            await machine.choose(turbo=not machine.session.turbo)
        elif control == "buy":
            machine.enter(State.CONFIRM)
        elif control == "collect":
            await self._collect()
        elif control == "home":
            await machine.choose(place="lobby")
            self._enter_lobby()
        else:
            await self._pages.open(control)

    async def _max_bet(self) -> None:
        """Choose the highest bet that the credit covers, and say what it costs; SPIN plays it."""
        machine, games = self._machine, self._machine.config.games
        credit_cents = machine.credit_cents
        bet = betting.most(machine.game, games, machine.bet, credit_cents)
        machine.message = about_max_bet(machine.game, games, bet, credit_cents)
        await self._bet(bet)

    async def _bet(self, bet: Bet, **place: str) -> None:
        """Choose this bet, and where the player is; show what the bet remembers before anything is staked on it."""
        machine = self._machine
        game = load(place.get("game", machine.session.game))
        wager = wager_on(game, bet)

        def act(tx: Transaction) -> tuple[Session, str]:
            return change_session(tx, **msgspec.structs.asdict(bet), **place), rounds.memory(tx, wager)

        machine.session, memory = await machine.do(act)
        if game.seated is not None:
            machine.scene = game.seated(machine.scene or game.idle, remembered(game, memory))
        machine.new_turn()

    async def _spin(self) -> None:
        """Play if the credit suffices; else ask whether to choose the lowest bet, where that one is affordable."""
        machine = self._machine
        if machine.overlay is not None:
            return  # it came between the press and here
        lowest = betting.lowest_bet(machine.game, machine.config.games)
        if machine.credit_cents >= machine.bet.cents:
            await self._playing.play()
        elif lowest.cents <= machine.credit_cents:
            machine.enter(State.LOWEST_BET, message=NOT_ENOUGH)
        else:
            machine.enter(State.IDLE, message=TOO_LITTLE)

    async def _lowest_bet(self, control: str) -> None:
        """Take the answer: the lowest bet is chosen, not staked."""
        machine = self._machine
        if control in ("spin", "lowest_bet:yes"):
            await self._bet(betting.lowest_bet(machine.game, machine.config.games))
        if control in ("spin", "lowest_bet:yes", "collect", "lowest_bet:no"):
            machine.enter(State.IDLE)

    async def _confirm(self, control: str) -> None:
        """Take the answer: the feature is bought with this press, and with no other (rules/mystery_elves.txt)."""
        machine = self._machine
        if machine.overlay is not None:
            return  # it came between the press and here
        if control in ("spin", "buy:yes") and machine.credit_cents >= machine.buy_cents:
            await self._playing.play(price=machine.game.buy_price)
        elif control in ("spin", "buy:yes", "collect", "buy:no"):
            machine.enter(State.IDLE)

    async def _collect(self) -> None:
        message = await self._cashing_out.collect()
        self._return_to_place()
        if message:
            self._machine.message = message
            self._machine.refresh()
