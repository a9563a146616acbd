"""The paytable's pages as the panel turns them."""

from controller.machine.machine import Machine
from controller.machine.states import State
from games.play import Offer

_CLOSES = ("collect", "paytable_close")


class PaytablePages:
    """The state `paytable`: opened from the idle game, or while a win waits to be gambled or collected."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._page = 0

    def open(self, offer: Offer | None = None) -> None:
        """Show the first page; with an `offer` that goes on waiting meanwhile."""
        self._page = 0
        self._machine.states.enter(State.PAYTABLE, focus="page:0", offer=offer)

    async def take(self, control: str) -> str:
        """Do what a control does here; return `close` or `menu` where it leads away, else nothing."""
        machine = self._machine
        if control in _CLOSES:
            return "close"
        if control in ("info", "menu"):
            return "menu" if machine.play.offer is None else "close"
        if control in ("lines", "bet"):
            self._page = max(0, self._page + (1 if control == "bet" else -1))
            machine.play.focus = f"page:{self._page}"
            machine.states.refresh()
        elif control == "max_bet":
            await machine.states.choose(witch=(machine.play.session.witch + 1) % machine.play.game.companions)
        elif control.startswith("witch:"):
            await machine.states.choose(witch=int(control.removeprefix("witch:")))
        return ""
