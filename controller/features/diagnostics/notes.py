"""T.9, bill validator: each note is held in escrow, shown, and returned; none is stacked or credited."""

from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from controller.faults import place_in_words
from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.journal.number_seal import masked
from controller.service.meters import NOT_FITTED
from controller.service.page import Line
from drivers.bill_diagnostic import NoteSight
from drivers.capabilities import BILL_VALIDATOR

_KEPT = 10
INSERT = "insert notes"
SIGHTS = {"escrow": "In escrow, it comes back", "returned": "Given back", "stacked": "Stacked against its orders"}

UNCREDITED = "nothing is credited"


class NoteTest(DeviceTest):
    """The bill validator under test."""

    code = "T.9"

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self.sights: deque[NoteSight] = deque(maxlen=_KEPT)
        self.seen = 0
        self.returned = 0

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Let the validator hold and return every note that the cabinet accepts."""
        validator = self.context.hardware.bill_validator
        if validator is None:
            yield
            return
        with self.context.hold("money"):
            validator.test(self._sight)
            validator.accept(frozenset(self.context.machine.settings.config.limits.notes_cents))
            try:
                yield
            finally:
                validator.accept(frozenset())
                validator.test(None)

    def _sight(self, sight: NoteSight) -> None:
        self.sights.append(sight)
        self.seen += sight.what == "escrow"
        self.returned += sight.what == "returned"
        figures: dict[str, Any] = {
            "test": self.code,
            "what": sight.what,
            "reason": sight.detail or "nothing is credited",
        }
        cents = sight.value_cents
        event = DiagnosticEvent.TEST_UNKNOWN_NOTE if cents is None else DiagnosticEvent.TEST_NOTE
        if sight.ticket:
            event, figures["ticket"] = DiagnosticEvent.TEST_TICKET, masked(sight.ticket)
        self.context.machine.journal.post(
            lambda tx: tx.event(event, place="bill validator", value_cents=cents, **figures)
        )
        self.context.touched()

    def lines(self) -> Sequence[Line]:
        """Return the device, then the results of the newest notes."""
        validator = self.context.hardware.bill_validator
        if validator is None:
            return (Line("{place}", NOT_FITTED, place=place_in_words(BILL_VALIDATOR)),)
        faulty = any(
            fault.place == BILL_VALIDATOR and fault.present for fault in self.context.machine.conditions.faults
        )
        return (
            Line("Device", validator.identity),
            *self.context.device_lines(BILL_VALIDATOR, ready=bool(validator.identity)),
            *(() if faulty or not validator.identity else (Line("Now", INSERT, tone="good"),)),
            Line("Notes recognised", count=self.seen),
            Line("Notes given back", count=self.returned),
            *(
                Line(
                    SIGHTS[sight.what],
                    cents=sight.value_cents,
                    detail=masked(sight.ticket) if sight.ticket else sight.detail,
                    tone="bad" if sight.what == "stacked" else "plain",
                )
                for sight in reversed(self.sights)
            ),
        )


PAGES = (device_test_page(NoteTest.code, "Bill validator", NoteTest),)
