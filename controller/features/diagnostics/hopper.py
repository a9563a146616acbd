"""T.10, hopper: it dispenses coins, and the test is passed once as many are back in it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from controller.faults import place_in_words
from controller.features.diagnostics.coins import WAYS, CoinDiagnostic
from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import device_test_page
from controller.features.diagnostics.events import DiagnosticEvent
from controller.journal.diagnostics import CoinsOut, hopper_diagnostic
from controller.service.meters import NOT_FITTED
from controller.service.page import DeviceAction, Line, Submission
from drivers.capabilities import CoinReport, Level, PayoutEnd, PayoutOutcome
from drivers.errors import DriverError

_AMOUNTS = (1, 3, 10, 50)
LEVELS = {
    Level.LOW: "nearly empty",
    Level.NORMAL: "neither low nor full",
    Level.FULL: "full",
    Level.UNKNOWN: "no level sensors",
}
ENDS = {
    PayoutEnd.DONE: "all came out",
    PayoutEnd.EMPTY: "no coin came in time: is it empty?",
    PayoutEnd.JAMMED: "it is jammed",
    PayoutEnd.STOPPED: "it was stopped",
    PayoutEnd.UNDECIDED: "its counters contradict each other",
}
PASSED, NOT_PASSED = "passed", "not passed yet"
MISSING, BACK = "Coins that must be put back", "All coins are back"
ARE_BACK = "They are all in the hopper again"
ASK_BACK = "Are all these coins in the hopper again?"
ASK_GIVE = "Give the coins now?"
GIVEN, FAILED = "The coins have been counted", "The hopper could not do it"


class HopperDiagnostic(CoinDiagnostic):
    """The hopper under test, with the coin acceptor while coins are missing, since they may return through it."""

    code = hopper_diagnostic.code

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self.ordered = 0
        self.given = 0
        self.outcome: PayoutOutcome | None = None
        self.out = CoinsOut()
        self.trouble = ""
        self._stale = asyncio.Event()

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Count the coins missing from an earlier test; at the end stop the motor and count what has been dispensed."""
        test = self.context.dispense
        if test is None:
            yield
            return
        await self._read()
        async with super().taken():
            test.on_coin = self._gave
            try:
                yield
            finally:
                test.on_coin = lambda _paid: None
                # if this fails, it is done as soon as the hopper answers again
                try:
                    await test.settle()
                except DriverError as error:
                    await self.context.record(
                        DiagnosticEvent.HOPPER_NOT_ENDED, place=hopper_diagnostic.place, reason=str(error)
                    )

    async def run(self) -> None:
        """Read the missing coins again after each dispensed or returned coin."""
        while True:
            await self._stale.wait()
            self._stale.clear()
            await self._read()
            self.accept()
            self.context.changed()

    def accept(self) -> None:
        """Enable the acceptor while coins are missing."""
        if self.acceptor is not None:
            self.acceptor.accept(enabled=self.out.missing > 0)

    def came(self, report: CoinReport) -> None:
        """Handle coins returned through the acceptor; the journal has counted them."""
        super().came(report)
        self._stale.set()

    @property
    def passed(self) -> bool:
        """Whether all ordered coins were dispensed without error and are back."""
        return self.outcome is not None and self.outcome.end is PayoutEnd.DONE and not self.out.missing

    async def _read(self) -> None:
        self.out = await self.context.machine.journal.do(hopper_diagnostic.coins_out)

    def _gave(self, paid: int) -> None:
        self.given = paid
        self._stale.set()
        self.context.touched()

    async def _give(self, coins: int) -> str:
        test = self.context.dispense
        if test is None:
            return FAILED
        self.ordered, self.given, self.outcome, self.trouble = coins, 0, None, ""
        try:
            self.outcome = await test.dispense(coins)
        except DriverError as error:
            self.trouble = str(error)
            return FAILED
        finally:
            self._stale.set()
        return GIVEN

    async def _are_back(self, submission: Submission) -> str:
        missing = self.out.missing
        try:
            await self.context.machine.journal.attempt(
                lambda tx: hopper_diagnostic.put_back(tx, missing, submission.who)
            )
        finally:
            self._stale.set()
        return BACK

    def lines(self) -> Sequence[Line]:
        """Return the device, the actions, and the dispensed and missing coins."""
        hopper = self.context.hardware.hopper
        if hopper is None:
            return (Line("{place}", NOT_FITTED, place=place_in_words(hopper_diagnostic.place)),)
        return (
            Line("Device", "" if hopper.identity is None else str(hopper.identity)),
            *self.context.device_lines(hopper_diagnostic.place, ready=hopper.ready),
            Line("Level", LEVELS[hopper.level]),
            *self._missing_lines(),
            *(() if self.out.missing or not hopper.ready else self._orders(hopper.most_coins, hopper.coin_value_cents)),
            *self._dispense_lines(),
            Line("The test is", PASSED if self.passed else NOT_PASSED, tone="good" if self.passed else "bad"),
        )

    def _orders(self, most: int, value_cents: int) -> list[Line]:
        amounts = sorted({amount for amount in _AMOUNTS if amount <= most} | {min(most, max(_AMOUNTS))})
        return [Line("Give coins", count=coins, cents=value_cents, leads=self._dispense(coins)) for coins in amounts]

    def _dispense(self, coins: int) -> DeviceAction:
        return DeviceAction(lambda _submission: self._give(coins), question=ASK_GIVE, confirmations=1)

    def _dispense_lines(self) -> list[Line]:
        if not self.ordered:
            return []
        outcome = self.outcome
        lines = [Line("Came out", f"{self.given} / {self.ordered}", tone="heading")]
        if outcome is not None:
            done = outcome.end is PayoutEnd.DONE
            details = "; ".join(text for _code, text in outcome.faults)
            lines.append(Line("It ended", ENDS[outcome.end], detail=details, tone="good" if done else "bad"))
        if self.trouble:
            lines.append(Line(FAILED, detail=self.trouble, tone="bad"))
        return lines

    def _missing_lines(self) -> list[Line]:
        if not self.out.missing:
            return []
        return [
            Line(MISSING, count=self.out.missing, cents=self.out.value_cents, tone="bad"),
            *(Line(words, count=self.coins.ways[way]) for way, words in WAYS.items() if self.coins.ways[way]),
            Line("Those that fall into the hopper through the coin acceptor count by themselves"),
            Line(ARE_BACK, leads=DeviceAction(self._are_back, question=ASK_BACK, confirmations=1)),
        ]


PAGES = (device_test_page(hopper_diagnostic.code, "Hopper", HopperDiagnostic),)
