"""A show from start to end: sent to the display, hurried by SPIN, ended by an ack, a timeout or a press."""

from collections.abc import Collection, Sequence
from enum import Enum

import msgspec

from controller.machine.ports import Screen
from controller.machine.view import MachineParts
from drivers.clock import Clock

LOOK_S = 0.25
"""The interval in seconds at which a show checks whether a display is still connected."""


class End(Enum):
    """How a show ended: `OVER`, `WITHDRAWN` by an interruption, or `LEFT` by a press."""

    OVER = 1
    WITHDRAWN = 2
    LEFT = 3


class Shows:
    """Performs shows on `screen`, in the machine's present turn."""

    def __init__(self, machine: MachineParts, screen: Screen, clock: Clock) -> None:
        self._machine = machine
        self._screen = screen
        self._clock = clock

    async def perform(
        self, steps: Sequence[msgspec.Raw], *, win_cents: int, leave: Collection[str] = (), plain: bool = False
    ) -> End:
        """Show `steps` in the machine's present turn and return how that ended; a press of one of `leave` ends it.

        A `plain` show celebrates nothing. SPIN hurries the show if it is live. At its end the display shows the present
        credit and `win_cents`.
        """
        machine = self._machine
        turn = machine.states.turn
        number = self._screen.show(
            steps,
            credit_cents=machine.journal.credit_cents,
            win_cents=win_cents,
            turbo=machine.play.turbo,
            plain=plain,
        )
        machine.states.set_showing(showing=True)
        ends = self._clock.now() + machine.settings.config.timing.show_limit_ms / 1000
        alone_since = self._clock.now()
        patience = machine.settings.config.timing.undisplayed_show_ms / 1000
        slice_s = min(LOOK_S, patience)
        while self._clock.now() < ends:
            got = await machine.states.next_input(slice_s)
            if machine.states.turn != turn:
                return End.WITHDRAWN
            if self._screen.connected:
                alone_since = self._clock.now()
            elif self._clock.now() - alone_since >= patience:
                break
            if got is None:
                continue
            if got.kind == "ack" and got.number >= number:
                break
            if got.kind == "press" and got.what in leave:
                machine.states.set_showing(showing=False)
                return End.LEFT
            if got.kind == "press" and got.what == "spin":
                self._screen.hurry(number)
        machine.states.set_showing(showing=False)
        return End.OVER
