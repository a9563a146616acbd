"""Turns the paytable's pages."""

from controller.machine.game_state import GameState
from controller.machine.state_machine import StateMachine
from controller.machine.states import State
from gamekit.play import Offer

_CLOSES = ("collect", "paytable_close")


class PaytablePages:
    """The state `paytable`: opened from the idle game, or while a win waits to be gambled or collected."""

    def __init__(self, play: GameState, states: StateMachine) -> None:
        self._play = play
        self._states = states
        self._page = 0

    def open(self, offer: Offer | None = None) -> None:
        """Show the first page; an `offer` keeps waiting meanwhile."""
        self._page = 0
        self._states.enter(State.PAYTABLE, focus="page:0", offer=offer)

    async def take(self, control: str) -> str:
        """Process a control; return `close` or `menu` if it leaves the page, otherwise an empty string."""
        if control in _CLOSES:
            return "close"
        if control in ("info", "menu"):
            return "menu" if self._play.offer is None else "close"
        if control in ("lines", "bet"):
            self._page = max(0, self._page + (1 if control == "bet" else -1))
            self._play.focus = f"page:{self._page}"
            self._states.refresh()
        elif control == "max_bet":
            await self._states.choose(witch=(self._play.session.witch + 1) % self._play.game.companions)
        elif control.startswith("witch:"):
            await self._states.choose(witch=int(control.removeprefix("witch:")))
        return ""
