"""T.11, coin lockout and coin diverter, switched one by one; no coin is accepted during the test."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from controller.faults import place_in_words
from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.features.diagnostics.points import outputs
from controller.service.meters import NOT_FITTED
from controller.service.page import DeviceAction, Line
from drivers.pins.coin_gates import DIVERTER, LOCKOUT, GateHand

NAMES = {LOCKOUT: "Coin lockout", DIVERTER: "Coin diverter"}
ENERGISED = {LOCKOUT: "lets coins in", DIVERTER: "to the hopper"}
AT_REST = {LOCKOUT: "turns coins away", DIVERTER: "to the cash box"}
"""The positions of each gate, without and with current."""
CANNOT_MOVE = "It cannot be moved now"


class Gates(DeviceTest):
    """T.11: each gate with its position; ENTER switches it. The acceptor stays inhibited."""

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        pins = context.machine.settings.config.pins
        self._points = {point.name: point for point in outputs(pins) if point.kind == "gates"}
        self._hand: GateHand | None = None

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Take the gates from the acceptor's driver; they start without current."""
        with self.context.hardware.coin_gates.taken_over() as self._hand:
            yield

    def lines(self) -> Sequence[Line]:
        """Return a row for each gate, then the state of their driver."""
        gates = self.context.hardware.coin_gates
        state = self.context.device_lines("coin_gates", ready=gates.ready) if self._points else []
        return (*(self._line(name) for name in NAMES), *state)

    def _line(self, name: str) -> Line:
        point, hand = self._points.get(name), self._hand
        if point is None or hand is None:
            return Line(NAMES[name], NOT_FITTED)
        moved = hand.energised(name)
        return Line(
            NAMES[name],
            (ENERGISED if moved else AT_REST)[name],
            mark=point.code,
            detail=point.detail,
            tone="good" if moved else "plain",
            leads=DeviceAction(lambda _submission: self._move(hand, name)),
        )

    async def _move(self, hand: GateHand, name: str) -> str:
        if not self.context.hardware.coin_gates.ready:
            return CANNOT_MOVE
        on = not hand.energised(name)
        hand.move(name, on=on)
        moved = DiagnosticEvent.GATE_ENERGISED if on else DiagnosticEvent.GATE_AT_REST
        await self.context.record(moved, what=place_in_words(name))
        return ""


PAGES = (device_test_page("T.11", "Coin lockout and diverter", Gates),)
