"""A line on which random bytes arrive without end: each serial device's driver says so, and no money is booked."""

import asyncio
from collections.abc import Callable

import pytest

from controller.hardware.driver_tasks import keep_running
from drivers.bill_validator import BillValidator
from drivers.capabilities import Driver
from drivers.cctalk.coin_acceptor import CoinAcceptor
from drivers.cctalk.hopper import Hopper
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.escpos.printer import EscposPrinter
from drivers.mdb.coin_changer import CoinChanger
from drivers.ssp.smart_hopper import SmartHopper
from drivers.validator_protocols import validator_protocols
from drivers.wiring import BillValidator as BillSettings
from drivers.wiring import CoinAcceptor as CoinSettings
from drivers.wiring import Hopper as HopperSettings
from drivers.wiring import TicketPrinter as PrinterSettings
from tests.rigs.babbling_port import BabblingPort
from tests.rigs.bill_rig import NOTE, Books
from tests.rigs.cctalk_books import CoinBooks, PayoutBooks
from tests.rigs.fault_book import FaultBook

LIKELY = b"\x7f\x80\x02\x03\xfc\x05\x01\x00p,vmACK0123456789ABCDEF\n\r\x12\x16"
"""Bytes with which frames of the protocols begin, go on and end."""


def _bills(protocol: str) -> Callable[[BabblingPort, LoopClock], tuple[Driver, FaultBook]]:
    def made(port: BabblingPort, clock: LoopClock) -> tuple[Driver, FaultBook]:
        books = Books()
        driver = BillValidator(BillSettings(port=port.path, protocol=protocol), port, clock, books, currency=EURO)
        driver.accept(frozenset({NOTE}))
        return driver, books

    return made


def _coins(port: BabblingPort, clock: LoopClock) -> tuple[Driver, FaultBook]:
    books = CoinBooks()
    return CoinAcceptor(CoinSettings(port=port.path), port, clock, books, currency=EURO), books


def _changer(port: BabblingPort, clock: LoopClock) -> tuple[Driver, FaultBook]:
    books = CoinBooks()
    return CoinChanger(CoinSettings(port=port.path, protocol="mdb"), port, clock, books, currency=EURO), books


def _hopper(port: BabblingPort, clock: LoopClock) -> tuple[Driver, FaultBook]:
    books = PayoutBooks()
    return Hopper(HopperSettings(port=port.path, coin_value_cents=100), port, clock, books, currency=EURO), books


def _smart_hopper(port: BabblingPort, clock: LoopClock) -> tuple[Driver, FaultBook]:
    books = PayoutBooks()
    settings = HopperSettings(port=port.path, protocol="ssp", coin_value_cents=100)
    return SmartHopper(settings, port, clock, books, currency=EURO), books


def _printer(port: BabblingPort, clock: LoopClock) -> tuple[Driver, FaultBook]:
    books = FaultBook()
    return EscposPrinter(PrinterSettings(port=port.path), port, clock, books), books


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "make",
    [
        *(pytest.param(_bills(name), id=f"{name} bills") for name in validator_protocols()),
        pytest.param(_coins, id="cctalk coins"),
        pytest.param(_changer, id="mdb coins"),
        pytest.param(_hopper, id="cctalk hopper"),
        pytest.param(_smart_hopper, id="ssp hopper"),
        pytest.param(_printer, id="printer"),
    ],
)
async def test_a_babbling_line_is_a_fault(
    make: Callable[[BabblingPort, LoopClock], tuple[Driver, FaultBook]], seed: int
) -> None:
    """Within 90 s, and the fault stays as long as the line babbles."""
    clock = LoopClock()
    driver, books = make(BabblingPort(seed, LIKELY), clock)
    running = asyncio.create_task(keep_running(driver, books, clock))
    await asyncio.sleep(90)
    for second in range(90):
        assert books.present, second
        await asyncio.sleep(1)
    running.cancel()
    await asyncio.wait([running])
    assert books.found == []
