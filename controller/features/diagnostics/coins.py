"""T.8, coin acceptor: each accepted coin is shown with its number; none is credited."""

from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from controller.faults import place_in_words
from controller.features.diagnostics.context import TestContext
from controller.features.diagnostics.device_test import DeviceTest, device_test_page
from controller.service.meters import NOT_FITTED
from controller.service.page import Line
from drivers.capabilities import CoinReport, CoinWay
from drivers.cctalk import coin_codes
from drivers.cctalk.coin_acceptor import CoinAcceptor

if TYPE_CHECKING:
    from controller.hardware.coin_acceptors import AnyCoinAcceptor

_KEPT = 8
TAKES, TURNS_AWAY, SETTLING = "insert coins", "turns coins away", "wait: coins on their way are credited first"
WAYS = {CoinWay.CASH_BOX: "Into the cash box", CoinWay.HOPPER: "Into the hopper", CoinWay.UNKNOWN: "Nobody knows where"}


class CoinTally:
    """The coins of a test, and the acceptor's error codes.

    `taken` counts coins by number and value, `ways` by sorter path; `errors` are the newest codes.
    """

    def __init__(self) -> None:
        self.taken: Counter[tuple[int, int]] = Counter()
        self.ways: Counter[CoinWay] = Counter()
        self.errors: deque[int] = deque(maxlen=_KEPT)
        self.resets = 0

    def take(self, report: CoinReport) -> None:
        """Add the acceptor's report of test coins."""
        self.taken.update(zip(report.positions, report.values_cents, strict=True))
        self.ways.update(report.ways)
        self.errors.extend(report.rejects)
        self.resets += report.reset


class CoinDiagnostic(DeviceTest):
    """The coin acceptor under test: it accepts coins, and the cabinet credits none of them."""

    code = "T.8"

    def __init__(self, context: TestContext) -> None:
        super().__init__(context)
        self.coins = CoinTally()

    @property
    def acceptor(self) -> "AnyCoinAcceptor | None":
        """The driver, None if no acceptor is fitted."""
        return self.context.hardware.coin_acceptor

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Accept coins for the test, not for credit (`drivers.coin_diagnostic`)."""
        acceptor = self.acceptor
        if acceptor is None:
            yield
            return
        with self.context.hold("money"):
            acceptor.on_report = self._report
            acceptor.test(self.code)
            self.accept()
            try:
                yield
            finally:
                acceptor.accept(enabled=False)
                acceptor.test("")
                acceptor.on_report = None

    def accept(self) -> None:
        """Enable the acceptor."""
        if self.acceptor is not None:
            self.acceptor.accept(enabled=True)

    def came(self, report: CoinReport) -> None:
        """Add a report of the acceptor."""
        self.coins.take(report)

    def _report(self, report: CoinReport) -> None:
        if self.acceptor is not None and self.acceptor.tests == self.code:
            self.came(report)
            self.context.touched()

    def device_lines(self) -> list[Line]:
        """Return the acceptor's identity, its faults, and whether it currently accepts coins."""
        acceptor = self.acceptor
        if acceptor is None:
            return [Line("{place}", NOT_FITTED, place=place_in_words(CoinAcceptor.name))]
        known = acceptor.identity
        words = SETTLING if acceptor.tests != self.code else TAKES if acceptor.takes_coins else TURNS_AWAY
        return [
            Line("Device", "" if known is None else str(known)),
            *self.context.device_lines(CoinAcceptor.name, ready=known is not None),
            *([Line("Self-check", acceptor.self_check, tone="bad")] if acceptor.self_check else []),
            Line("Now", words, tone="good" if acceptor.takes_coins and words is TAKES else "plain"),
        ]

    def lines(self) -> Sequence[Line]:
        """Return the device, then each coin by its number, the sorter paths, and the newest errors."""
        acceptor = self.acceptor
        if acceptor is None:
            return self.device_lines()
        coins, values = self.coins, acceptor.values_cents
        numbers = sorted({*values.items(), *coins.taken})
        return (
            *self.device_lines(),
            Line("Coins in this test, none of them credited", count=coins.taken.total(), tone="heading"),
            *(
                Line(
                    "Coin {place}",
                    place=str(position),
                    count=coins.taken[position, value],
                    cents=value,
                    tone="good" if coins.taken[position, value] else "plain",
                )
                for position, value in numbers
            ),
            *(Line(words, count=coins.ways[way]) for way, words in WAYS.items() if coins.ways[way]),
            *([Line("The acceptor has lost its power", count=coins.resets, tone="bad")] if coins.resets else []),
            *(
                Line("Error code {place}", place=str(code), detail=coin_codes.explain(code).text, tone="bad")
                for code in reversed(coins.errors)
            ),
        )


PAGES = (device_test_page(CoinDiagnostic.code, "Coin acceptor", CoinDiagnostic),)
