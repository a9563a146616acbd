"""The cabinet's currency: devices made for it play, devices made for another are refused, and neither is guessed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.journal import money
from controller.journal.event_catalogue import Event
from controller.journal.open_items import add_item, open_items
from controller.machine.view import view_of
from drivers.currency import CURRENCIES, EURO, Currency
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.ebds.bill_validator import SimulatedEbdsValidator
from drivers.simulated.id003.bill_validator import SimulatedBillValidator
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator
from drivers.wiring import Money
from tests.rigs.virtual_cabinet import VirtualCabinet
from ui.protocol.values import written

POUND, DOLLAR = CURRENCIES["GBP"], CURRENCIES["USD"]
IN_POUNDS = Money(currency="GBP")
PROTOCOLS: tuple[str, ...] = ("id003", "ssp", "cctalk", "ebds")
READY_S = 15.0
NOTE_S = 12.0

Scene = Callable[[VirtualCabinet], Awaitable[None]]


async def play(
    folder: Path,
    scene: Scene,
    *,
    protocol: str = "id003",
    currency: Currency = EURO,
    money: Money | None = None,
    prepare: Callable[[VirtualCabinet], None] = lambda _cabinet: None,
) -> None:
    cabinet = VirtualCabinet(folder, protocol=protocol, currency=currency, money=money)
    prepare(cabinet)
    await cabinet.start()
    await asyncio.sleep(READY_S)
    await scene(cabinet)
    await cabinet.kill()


def faults(cabinet: VirtualCabinet) -> dict[tuple[str, str], str]:
    assert cabinet.supervisor is not None
    return {(fault.code, fault.place): fault.detail for fault in cabinet.supervisor.machine.conditions.faults}


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_devices_for_pounds_play_in_a_cabinet_in_pounds(protocol: str, tmp_path: Path) -> None:
    """Coins and notes of a GB dataset are credited at their value, and the screen writes pounds."""

    async def scene(cabinet: VirtualCabinet) -> None:
        assert faults(cabinet) == {}
        assert cabinet.coins.insert(200)
        await asyncio.sleep(1.0)
        assert cabinet.credit == 200
        cabinet.bills.insert(2000)
        await asyncio.sleep(NOTE_S)
        assert (cabinet.credit, cabinet.stacked_cents) == (2200, 2000)
        assert cabinet.supervisor is not None
        assert written(cabinet.credit, view_of(cabinet.supervisor.machine.parts).locale.money) == "£ 22.00"
        await cabinet.tap("spin")
        await asyncio.sleep(30.0)
        (played,) = await cabinet.supervisor.journal.do(
            lambda tx: tx.execute("SELECT count(*) FROM rounds WHERE state = 'settled'").fetchone()
        )
        assert played == 1

    await play(tmp_path, scene, protocol=protocol, currency=POUND, money=IN_POUNDS)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_devices_for_another_currency_are_refused(protocol: str, tmp_path: Path) -> None:
    """Both currencies are in the fault, neither device takes money, and a supervisor with the right words plays."""

    async def scene(cabinet: VirtualCabinet) -> None:
        found = faults(cabinet)
        assert found.keys() == {
            ("wrong_currency", "coin_acceptor"),
            ("wrong_currency", "bill_validator"),
            ("wrong_currency", "hopper"),
        }
        assert all("USD" in detail and "EUR" in detail for detail in found.values())
        assert not cabinet.coins.insert(100)
        cabinet.bills.insert(2000)
        await asyncio.sleep(NOTE_S)
        assert (cabinet.credit, cabinet.returned_cents, cabinet.stacked_cents) == (0, 2100, 0)
        await cabinet.kill()
        site = cabinet.config.cabinet
        cabinet.config = replace(cabinet.config, cabinet=replace(site, money=Money(currency="USD")))
        await cabinet.start()
        await asyncio.sleep(READY_S)
        assert faults(cabinet).keys() == {
            ("wrong_currency", "coin_acceptor"),
            ("wrong_currency", "bill_validator"),
            ("wrong_currency", "hopper"),
            ("power_reset", ""),
        }
        await cabinet.turn_key("technician")
        await asyncio.sleep(READY_S)
        assert cabinet.coins.insert(100)
        cabinet.bills.insert(2000)
        await asyncio.sleep(NOTE_S)
        assert (cabinet.credit, cabinet.stacked_cents) == (2100, 2000)

    await play(tmp_path, scene, protocol=protocol, currency=DOLLAR)


async def test_an_existing_file_is_played_as_its_symbol_says(tmp_path: Path) -> None:
    """A file from before there was a key for the currency names one all the same."""

    async def scene(cabinet: VirtualCabinet) -> None:
        assert cabinet.coins.insert(200)
        await asyncio.sleep(1.0)
        assert cabinet.credit == 200

    await play(tmp_path, scene, currency=POUND, money=Money(symbol="£"))


def mix(cabinet: VirtualCabinet) -> None:
    """Make the 1.00 coin and the note of 20 those of another country, in devices for euros."""
    cabinet.coins.coin_ids[3] = b"GB100A"
    match cabinet.bills:
        case SimulatedSspValidator() as ssp:
            ssp.channels[2] = "GBP"
        case SimulatedCctalkBills() as cctalk:
            cctalk.bill_ids[2] = b"GB0020A"
        case SimulatedEbdsValidator() as ebds:
            ebds.codes[2] = "GBP"
        case SimulatedBillValidator() as id003:
            id003.countries[2000] = POUND.id003 or 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_of_a_mixed_dataset_only_the_cabinets_money_is_taken(protocol: str, tmp_path: Path) -> None:
    """Coins and notes of another currency are inhibited and given back; the others are credited."""

    async def scene(cabinet: VirtualCabinet) -> None:
        assert faults(cabinet) == {}
        assert not cabinet.coins.insert(100)
        assert cabinet.coins.insert(50)
        cabinet.bills.insert(2000)
        await asyncio.sleep(NOTE_S)
        assert (cabinet.credit, cabinet.stacked_cents, cabinet.returned_cents) == (50, 0, 2100)
        cabinet.bills.insert(1000)
        await asyncio.sleep(NOTE_S)
        assert (cabinet.credit, cabinet.stacked_cents) == (1050, 1000)
        assert cabinet.supervisor is not None
        assert await cabinet.supervisor.journal.do(open_items) == []

    await play(tmp_path, scene, protocol=protocol, prepare=mix)


async def test_a_foreign_coin_that_is_taken_all_the_same_is_no_credit(tmp_path: Path) -> None:
    """An acceptor that does not obey its inhibit mask: the coin is a fault and an open item without an amount."""

    async def scene(cabinet: VirtualCabinet) -> None:
        cabinet.coins.enabled_mask = 0xFFFF
        assert cabinet.coins.insert(100)
        await asyncio.sleep(1.0)
        assert cabinet.credit == 0
        assert ("coin_unknown", "coin_acceptor") in faults(cabinet)
        assert cabinet.supervisor is not None
        (item,) = await cabinet.supervisor.journal.do(open_items)
        assert (item.kind, item.least_cents, item.amount_cents) == ("coins_lost", 0, None)
        assert "position 4" in item.text

    await play(tmp_path, scene, prepare=mix)


async def test_credit_of_one_currency_is_never_played_in_another(tmp_path: Path) -> None:
    """A file that was changed while there is credit stops play; once it is paid out the books go on in the new one."""

    async def scene(cabinet: VirtualCabinet) -> None:
        assert cabinet.coins.insert(200)
        await asyncio.sleep(1.0)
        await cabinet.kill()
        site = cabinet.config.cabinet
        in_euros, cabinet.config = cabinet.config, replace(cabinet.config, cabinet=replace(site, money=IN_POUNDS))
        await cabinet.start()
        await asyncio.sleep(READY_S)
        detail = faults(cabinet)["currency_changed", ""]
        assert detail == "the books are in EUR, cabinet.money says GBP"
        assert cabinet.supervisor is not None
        assert not cabinet.supervisor.machine.states.takes_coins
        await cabinet.kill()
        cabinet.config = in_euros
        await cabinet.start()
        await asyncio.sleep(READY_S)
        assert ("currency_changed", "") not in faults(cabinet)
        assert cabinet.credit == 200

    await play(tmp_path, scene)


async def test_a_note_and_an_open_item_of_one_currency_stay_in_it(tmp_path: Path) -> None:
    """A note on its way when the file was changed, and an amount that nobody has resolved, are not of another one."""

    async def scene(cabinet: VirtualCabinet) -> None:
        assert cabinet.supervisor is not None
        await cabinet.supervisor.journal.do(lambda tx: money.note_stacking(tx, 2000))
        await cabinet.crash()
        site = cabinet.config.cabinet
        cabinet.config = replace(cabinet.config, cabinet=replace(site, money=IN_POUNDS))
        for _ in range(2):
            await cabinet.start()
            await asyncio.sleep(READY_S)
            assert faults(cabinet)["currency_changed", ""] == "the books are in EUR, cabinet.money says GBP"
            assert cabinet.credit == 0
            await cabinet.supervisor.journal.do(
                lambda tx: add_item(tx, "note_unexpected", 2000, Event.NOTE_UNEXPECTED, least_cents=0)
            )
            await cabinet.kill()
        await cabinet.start()

    await play(tmp_path, scene)


async def test_a_hopper_with_other_coins_pays_none_of_them(tmp_path: Path) -> None:
    """Its coins are of 2.00, the cabinet's are of 1.00: the credit is paid by hand, and nothing falls into the tray."""

    def fill(cabinet: VirtualCabinet) -> None:
        cabinet.hopper.value_cents = 200

    async def scene(cabinet: VirtualCabinet) -> None:
        assert faults(cabinet).keys() == {("settings", "hopper")}
        assert cabinet.coins.insert(200)
        await asyncio.sleep(1.0)
        await cabinet.tap("collect")
        await asyncio.sleep(10.0)
        assert (cabinet.credit, cabinet.tray_cents) == (200, 0)
        await cabinet.turn_key("attendant")
        await asyncio.sleep(5.0)
        assert (cabinet.credit, cabinet.tray_cents) == (0, 0)

    await play(tmp_path, scene, prepare=fill)
