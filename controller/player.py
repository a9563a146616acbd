"""What the player does between rounds: come, choose a game and a bet, read, play, leave with the money."""

from collections.abc import Awaitable, Callable

from controller.autospin import AutospinSettings
from controller.autospin_panel import SettingsPanel
from controller.cashing_out import CashingOut
from controller.locking import LockingError
from controller.machine import Machine
from controller.playing import Playing, last_scene
from controller.states import State
from games.catalogue import load


class Player:
    """The main flow: from boot through recovery to whatever the player does next, for ever."""

    def __init__(self, machine: Machine, playing: Playing, cashing_out: CashingOut) -> None:
        self._machine = machine
        self._playing = playing
        self._cashing_out = cashing_out
        self._paytable_page = 0
        self._autospin = AutospinSettings()
        self._places: dict[str, Callable[[str], Awaitable[None]]] = {
            State.ATTRACT: self._attract,
            State.LOBBY: self._lobby,
            State.IDLE: self._idle,
            State.PAYTABLE: self._paytable,
            State.AUTOSPIN: self._autospin_settings,
        }

    async def run(self) -> None:
        """Recover what was interrupted, then serve the player until cancelled; stops where the journal fails."""
        machine = self._machine
        try:
            await self._recover()
            while True:
                await self._serve()
        except LockingError as error:
            machine.lock_up(error)
            await self._stay_locked()

    async def _stay_locked(self) -> None:
        while True:
            await self._machine.next_input()

    async def _recover(self) -> None:
        machine = self._machine
        await self._playing.load()
        if machine.session.game:
            await last_scene(machine)
        if not await self._playing.resume() and await self._cashing_out.resume():
            machine.win_cents = 0
        self._return_to_place()

    def _return_to_place(self) -> None:
        place = State(self._machine.session.place)
        self._machine.enter(place if place in self._places else State.ATTRACT)

    async def _serve(self) -> None:
        machine = self._machine
        seconds = machine.cabinet.timing.attract_after_ms / 1000
        got = await machine.next_input(seconds)
        if got is None:
            if machine.credit_cents == 0 and machine.state is not State.ATTRACT and machine.overlay is None:
                await machine.choose(place="attract")
                machine.enter(State.ATTRACT)
        elif got.kind == "press":
            await self._places[machine.state](got.what)
        elif machine.state is State.ATTRACT and machine.credit_cents and machine.overlay is None:
            await self._to_lobby()

    async def _attract(self, control: str) -> None:
        if control in ("spin", "screen", "info"):
            await self._to_lobby()

    async def _to_lobby(self) -> None:
        machine = self._machine
        if len(machine.cabinet.games.enabled) == 1:
            await self._open_game(machine.cabinet.games.enabled[0])
            return
        await machine.choose(place="lobby")
        machine.enter(State.LOBBY)

    async def _lobby(self, control: str) -> None:
        machine = self._machine
        if control.startswith("game:"):
            await self._open_game(control.removeprefix("game:"))
        elif control == "spin":
            await self._open_game(machine.session.game or machine.cabinet.games.default)
        elif control == "home":
            await machine.choose(place="attract")
            machine.enter(State.ATTRACT)
        elif control == "collect":
            await self._collect()

    async def _open_game(self, name: str) -> None:
        machine = self._machine
        game = load(name)
        if machine.session.game == name and machine.session.lines:
            await machine.choose(place="idle")
        else:
            machine.scene, machine.win_cents = None, 0
            await machine.choose(
                place="idle",
                game=name,
                lines=game.line_counts[-1],
                coins_per_line=game.coins_per_line[0],
                coin_value_cents=machine.cabinet.games.default_coin_value_cents,
            )
        machine.enter(State.IDLE)

    async def _idle(self, control: str) -> None:
        machine, bet, game = self._machine, self._machine.bet, self._machine.game
        if control == "spin":
            await self._spin()
            return
        machine.message = ""
        if control == "max_bet":
            await machine.choose(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[-1])
            await self._spin()
        elif control == "bet":
            await machine.choose(coins_per_line=_next(game.coins_per_line, bet.coins_per_line))
        elif control == "lines":
            await machine.choose(lines=_next(game.line_counts, bet.lines))
        elif control == "coin_value":
            values = machine.cabinet.games.coin_values_cents
            await machine.choose(coin_value_cents=_next(values, bet.coin_value_cents))
        elif control == "auto":
            machine.autospin_panel = SettingsPanel(self._autospin, bet.cents, pool=game.pool is not None)
            machine.enter(State.AUTOSPIN, focus=_field(machine.autospin_panel))
        elif control == "info":
            self._paytable_page = 0
            machine.enter(State.PAYTABLE, focus="page:0")
        elif control == "collect":
            await self._collect()
        elif control == "home":
            await machine.choose(place="lobby")
            machine.enter(State.LOBBY)

    async def _paytable(self, control: str) -> None:
        machine = self._machine
        if control in ("info", "paytable_close"):
            machine.enter(State.IDLE)
        elif control in ("lines", "bet"):
            self._paytable_page = max(0, self._paytable_page + (1 if control == "bet" else -1))
            machine.focus = f"page:{self._paytable_page}"
            machine.refresh()

    async def _autospin_settings(self, control: str) -> None:
        machine, panel = self._machine, self._machine.autospin_panel
        if panel is None or machine.overlay is not None:
            return  # it came between the press and here
        ends = panel.take(control)
        self._autospin = panel.settings
        if not ends:
            machine.focus = _field(panel)
            machine.refresh()
            return
        machine.autospin_panel = None
        if ends == "start":
            await self._playing.autospin(self._autospin)
        else:
            machine.enter(State.IDLE)

    async def _spin(self) -> None:
        """Play if the credit suffices; else offer the lowest bet, which a second press chooses and a third plays."""
        machine, game = self._machine, self._machine.game
        if machine.overlay is not None:
            return  # it came between the press and here
        if machine.credit_cents >= machine.bet.cents:
            await self._playing.play()
            return
        lowest = min(machine.cabinet.games.coin_values_cents)
        if machine.message != NOT_ENOUGH:
            machine.enter(State.IDLE, message=NOT_ENOUGH)
            return
        machine.message = ""
        await machine.choose(lines=game.line_counts[0], coins_per_line=game.coins_per_line[0], coin_value_cents=lowest)

    async def _collect(self) -> None:
        await self._cashing_out.collect()
        self._return_to_place()


NOT_ENOUGH = "not_enough_credit"
"""The message code of the offer to play the lowest bet."""


def _field(panel: SettingsPanel) -> str:
    """Return the focus of the setting that the panel's cursor stands on."""
    return f"auto:{panel.field}"


def _next(values: tuple[int, ...], current: int) -> int:
    """Return the value after `current`, the first one after the last."""
    return values[(values.index(current) + 1) % len(values)] if current in values else values[0]
