"""The set-up guide of a new cabinet: from a bare journal to attract, with the panel alone, over power cuts."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.faults import NO_PIN
from controller.features.doctor.guide import devices, end, steps
from controller.features.doctor.guide_journal import Step, steps_done
from controller.features.doctor.ports import PortFound
from controller.features.doctor.set_up import DeviceSearch
from controller.journal.actor import Role
from controller.service import messages
from controller.service.pin_gate import WORDS
from controller.service.setting_lines import SAVED
from controller.settings.settings import PLACE_TAKEN
from controller.system.host import Departure
from drivers.probe import Device, Heard
from tests.rigs.machine import Rig
from tests.rigs.people import NAME, PIN
from tests.rigs.service_menu import Hand
from tests.rigs.virtual_cabinet import configuration

SLOWEST_PRESS_S = 2.0
"""As slowly a person presses who reads every page."""
LONGEST_SEARCH_S = 30.0
FARTHEST_LETTER = 24
"""Presses that move to the farthest letter and take it."""
PRESSES_OF_A_DIGIT = 2
PANEL = 12
"""Presses of the test of the panel: eight buttons, and the way to it."""
TEN_MINUTES_S = 600.0
ACCEPTOR = Device(protocol="cctalk", kind="Coin Acceptor", name="Maker X6", address=2, serial=7)
HOPPER = Device(protocol="cctalk", kind="Payout", name="Maker HCS", address=3, serial=8)
NOTES = Device(protocol="ssp", kind="bill validator", name="firmware NV9", address=0, serial=9)
CHANGER = Device(protocol="cctalk", kind="Changer", name="", address=4)
BUS = (
    Device(protocol="mdb", kind="coin changer", name="MEI CF7900", serial=42, baud=115_200),
    Device(protocol="mdb", kind="bill validator", name="JCM DBV", serial=7, baud=115_200),
)
PORTS = (
    PortFound(path="/dev/serial/by-path/a", device="/dev/ttyUSB0", heard=Heard((ACCEPTOR, HOPPER), echo=True)),
    PortFound(path="/dev/serial/by-path/b", device="/dev/ttyUSB1", heard=Heard((NOTES,))),
    PortFound(path="/dev/serial/by-path/c", device="/dev/ttyUSB2", heard=Heard((), echo=True)),
    PortFound(path="/dev/serial/by-path/d", device="/dev/ttyUSB3", heard=Heard((), noise=b"?")),
    PortFound(path="/dev/serial/by-path/e", device="/dev/ttyUSB4", user="minicom (pid 3)"),
    PortFound(path="/dev/serial/by-path/f", device="/dev/ttyUSB5", unasked="the kernel's console"),
    PortFound(path="/dev/serial/by-path/g", device="/dev/ttyUSB6", heard=Heard((CHANGER,))),
)


class Fitter(Hand):
    """Somebody who sets a new cabinet up with the panel's buttons alone, each press counted."""

    presses = 0

    async def press(self, button: str) -> None:
        self.presses += 1
        await self.rig.press(button)

    async def to(self, label: str) -> None:
        """Move the cursor by the shorter way to the row with that label or place, and enter it."""
        rows = self.page.rows
        at = next(number for number, row in enumerate(rows) if label in (row.label, row.place))
        while (ahead := (at - self.page.focus) % len(rows)) != 0:
            await self.press("bet" if ahead <= len(rows) / 2 else "lines")
        await self.press("spin")

    async def agrees(self) -> None:
        """Answer a question with YES."""
        await self.press("lines")
        await self.press("spin")

    def shows(self, title: str) -> bool:
        """Whether the page with that title is open."""
        page = self.rig.screen.view.pages.service
        return page is not None and page.title == title


def _fit(rig: Rig, ports: Sequence[PortFound] = PORTS) -> None:
    async def survey() -> Sequence[PortFound]:
        await asyncio.sleep(1)
        return ports

    rig.service.machine.of(DeviceSearch).run = survey
    rig.service.machine.started_with = rig.machine.settings.fitted


@asynccontextmanager
async def new_cabinet(
    folder: Path, config: Config | None = None, *, until: str = "tilted"
) -> AsyncIterator[tuple[Rig, Fitter]]:
    """A real cabinet whose books were made just now, before its open main door; the sample's devices are not fitted."""
    rig = Rig(folder, config=config or _without_devices(folder), simulated=False)
    await rig.start(until=until)
    _fit(rig)
    await rig.door(is_open=True)
    try:
        yield rig, Fitter(rig)
    finally:
        await rig.kill()


def _without_devices(folder: Path) -> Config:
    config = configuration(folder)
    return msgspec.structs.replace(config, bill_validator=None, coin_acceptor=None, hopper=None)


async def choose_language(hand: Fitter, language: str) -> None:
    """Turn the technician's key for the first time, and choose a language."""
    await hand.turn(Role.TECHNICIAN)
    assert hand.page.message == WORDS["language"]
    assert hand.page.gate
    await hand.to(language)
    await hand.rig.until_true(lambda: hand.page.entry == "Your name")


async def identify(hand: Fitter) -> None:
    """Type name and PIN as the first technician."""
    await hand.name(NAME)
    for _ in range(2):
        await hand.type(PIN)
    hand.presses += (len(NAME) + 1) * FARTHEST_LETTER + 2 * (len(PIN) + 1) * PRESSES_OF_A_DIGIT
    await hand.rig.until_true(lambda: not hand.page.gate)


async def done(rig: Rig) -> frozenset[Step]:
    """The steps that the journal has as done."""
    return await rig.machine.journal.do(steps_done)


async def test_a_language_that_the_configuration_contradicts_is_refused_in_words(tmp_path: Path) -> None:
    """With an English sign for thousands German amounts would have two equal signs: the question stays."""
    config = configuration(tmp_path)
    money = msgspec.structs.replace(config.cabinet.money, thousands=",")
    config = msgspec.structs.replace(config, cabinet=msgspec.structs.replace(config.cabinet, money=money))
    async with new_cabinet(tmp_path, config) as (rig, hand):
        await hand.turn(Role.TECHNICIAN)
        await hand.to("Deutsch")
        await rig.until_true(lambda: hand.page.message == "It does not fit the other settings")
        await hand.to("English")
        await rig.until_true(lambda: hand.page.entry == "Your name")


async def test_a_german_cabinet_writes_german_amounts(tmp_path: Path) -> None:
    """The language chosen at its first start is that of its amounts too."""
    async with new_cabinet(tmp_path, configuration(tmp_path)) as (rig, hand):
        assert rig.screen.view.locale.money.decimal == "."
        await choose_language(hand, "Deutsch")
        assert (rig.screen.view.locale.money.decimal, rig.screen.view.locale.money.thousands) == (",", ".")


async def test_from_a_bare_journal_to_attract_within_ten_minutes(tmp_path: Path) -> None:
    """Language, PIN, devices, money and the end with the panel's four buttons; the program starts again and plays."""
    async with new_cabinet(tmp_path, configuration(tmp_path)) as (rig, hand):
        await choose_language(hand, "Deutsch")
        await identify(hand)
        assert rig.machine.settings.config.cabinet.language == "de"
        assert (hand.page.code, hand.page.focus) == (steps.CODE, 1)
        await hand.press("spin")
        for title in (steps.TITLES[Step.SITE], steps.TITLES[Step.PEOPLE]):
            assert hand.shows(title)
            await hand.to(steps.GO_ON)
        await hand.to(devices.SEARCH)
        await rig.until_true(lambda: hand.shows(devices.FOUND))
        await hand.to(devices.USE_ALL)
        await hand.agrees()
        await rig.until_true(lambda: bool(hand.page.message))
        await hand.press("collect")
        assert [row.value for row in hand.page.rows[:3]] == [devices.LATER_ON] * 3
        await hand.to(steps.GO_ON)
        await hand.to(steps.USUAL)
        await hand.agrees()
        await hand.to(steps.GO_ON)
        assert hand.shows(steps.TITLES[Step.PANEL])
        await hand.to(steps.GO_ON)
        await hand.to(end.END_WITH_START)
        await rig.until_true(lambda: rig.host.departures == [Departure.RESTART])
        took_s = (hand.presses + PANEL) * SLOWEST_PRESS_S + LONGEST_SEARCH_S
        assert took_s < TEN_MINUTES_S, f"{hand.presses} presses"
        assert await done(rig) == frozenset(Step)
        config = rig.machine.settings.fitted
        assert config.coin_acceptor is not None
        assert config.bill_validator is not None
        assert config.hopper is not None
        assert (config.hopper.port, config.hopper.address) == ("/dev/serial/by-path/a", 3)
        assert (config.coin_acceptor.port, config.coin_acceptor.address) == ("/dev/serial/by-path/a", 2)
        assert (config.bill_validator.port, config.bill_validator.protocol) == ("/dev/serial/by-path/b", "ssp")
        await rig.door(is_open=False)
        await rig.restart(until="attract")
        _fit(rig)
        await hand.turn(Role.TECHNICIAN)
        await hand.type(PIN)
        await rig.until_true(lambda: not hand.page.gate)
        assert hand.page.code == ""


async def test_each_step_is_where_it_was_after_a_power_cut(tmp_path: Path) -> None:
    """Cut after any step, the next turn of the key opens the guide with the following step under the cursor."""
    async with new_cabinet(tmp_path) as (rig, hand):
        await choose_language(hand, "Deutsch")
        await rig.restart(until="tilted")
        assert rig.machine.settings.config.cabinet.language == "de", "the choice survived"
        await rig.door(is_open=True)
        await choose_language(hand, "Deutsch")
        await identify(hand)
        for step in [*Step][:-1]:
            assert (hand.page.rows[1].label, hand.page.rows[1].value) == (steps.TITLES[step], steps.NEXT)
            await hand.press("spin")
            assert hand.shows(steps.TITLES[step])
            await hand.to(steps.GO_ON)
            await rig.until_true(lambda s=step: not hand.shows(steps.TITLES[s]))  # type: ignore[misc]
            await rig.restart(until="tilted")
            await rig.door(is_open=True)
            await hand.turn(Role.TECHNICIAN)
            await hand.type(PIN)
            await rig.until_true(lambda: hand.page.code == steps.CODE)
        assert hand.page.rows[1].label == steps.TITLES[Step.END]


async def test_without_a_choice_of_devices_the_guide_ends_without_a_start(tmp_path: Path) -> None:
    """Nothing that drivers read at a start was chosen: the key is turned back, the door shut, and it plays."""
    async with new_cabinet(tmp_path) as (rig, hand):
        await choose_language(hand, "English")
        await identify(hand)
        await hand.to(steps.TITLES[Step.END])
        await hand.to(end.END_HERE)
        await rig.until_true(lambda: hand.page.message == end.ENDED)
        assert rig.host.departures == []
        await hand.leave(Role.TECHNICIAN)
        await rig.door(is_open=False)
        await rig.until("attract")


async def test_with_a_shut_door_nothing_is_set(tmp_path: Path) -> None:
    """The guide says that the main door must be open; its steps do not open before."""
    async with new_cabinet(tmp_path) as (rig, hand):
        await rig.door(is_open=False)
        await choose_language(hand, "English")
        await identify(hand)
        assert hand.page.rows[0].label == messages.WORDS["door"]
        await hand.press("spin")
        assert hand.page.code == steps.CODE
        await rig.door(is_open=True)
        await hand.press("spin")
        assert hand.shows(steps.TITLES[Step.SITE])


async def test_every_port_is_shown_with_what_was_found(tmp_path: Path) -> None:
    """Devices that fit can be chosen, a changer cannot; silence, echo, noise and others' ports each have a word."""
    async with new_cabinet(tmp_path) as (rig, hand):
        await choose_language(hand, "English")
        await identify(hand)
        await hand.to(steps.TITLES[Step.DEVICES])
        await hand.to(devices.SEARCH)
        await rig.until_true(lambda: hand.shows(devices.FOUND))
        rows = {row.place: row for row in hand.page.rows[1:]}
        assert rows["Coin Acceptor, cctalk"].leads
        assert (rows["Payout, cctalk"].value, rows["Payout, cctalk"].leads) == (devices.ASKS, True)
        assert (rows["Changer, cctalk"].leads, rows["Changer, cctalk"].tone) == (False, "bad")
        said = {place[-1]: row.value for place, row in rows.items() if place.startswith("/dev")}
        assert said == {"c": devices.ECHO, "d": devices.NOISE, "e": devices.IN_USE, "f": devices.BUSY}
        await hand.to("Payout, cctalk")
        for digit in "100":
            await rig.press(f"service:digit:{digit}")
        await rig.press("service:done")
        await hand.agrees()
        await rig.until_true(lambda: bool(hand.page.message))
        hopper = rig.machine.settings.fitted.hopper
        assert hopper is not None
        assert (hopper.port, hopper.address, hopper.coin_value_cents) == ("/dev/serial/by-path/a", 3, 100)


async def test_a_port_that_another_device_has_is_named_as_the_reason(tmp_path: Path) -> None:
    """A device plugged into the socket that cabinet.toml gives to one that is not found cannot be chosen alone."""
    config = configuration(tmp_path)
    assert config.bill_validator is not None
    async with new_cabinet(tmp_path, config) as (rig, hand):
        port = config.bill_validator.port
        _fit(rig, (PortFound(path=port, device="/dev/ttyUSB0", heard=Heard((ACCEPTOR,))),))
        await choose_language(hand, "English")
        await identify(hand)
        await hand.to(steps.TITLES[Step.DEVICES])
        await hand.to(devices.SEARCH)
        await rig.until_true(lambda: hand.shows(devices.FOUND))
        await hand.to(devices.USE_ALL)
        await hand.agrees()
        await rig.until_true(lambda: bool(hand.page.message))
        assert hand.page.message == PLACE_TAKEN


async def test_the_usual_notes_of_a_currency_of_small_units_want_a_higher_credit_limit(tmp_path: Path) -> None:
    """A credit limit of 1,000 forints is below every usual note: that is said, and no note is switched off unasked."""
    config = configuration(tmp_path)
    money = msgspec.structs.replace(config.cabinet.money, currency="HUF", symbol="Ft")
    forints = msgspec.structs.replace(config, cabinet=msgspec.structs.replace(config.cabinet, money=money))
    async with new_cabinet(tmp_path, forints) as (rig, hand):
        await choose_language(hand, "English")
        await identify(hand)
        await hand.to(steps.TITLES[Step.MONEY])
        before = rig.machine.settings.fitted.limits.notes_cents
        await hand.to(steps.USUAL)
        await hand.agrees()
        await rig.until_true(lambda: hand.page.message == steps.NO_NOTE)
        assert rig.machine.settings.fitted.limits.notes_cents == before
        await hand.to("Credit limit")
        await hand.type("4000000")
        await hand.to(steps.USUAL)
        await hand.agrees()
        await rig.until_true(lambda: hand.page.message == SAVED)
        assert rig.machine.settings.fitted.limits.notes_cents == (50_000, 100_000, 200_000)


def test_a_printer_is_used_by_the_link_on_which_it_was_found(tmp_path: Path) -> None:
    """A serial port has a rate, a device file and an address of the network have none."""
    config = configuration(tmp_path)
    for path, baud, link in (
        ("/dev/serial/by-path/p", 19_200, "serial"),
        ("/dev/usb/lp0", 9_600, "usb"),
        ("192.168.1.50:9100", 0, "network"),
    ):
        found = Device(protocol="escpos", kind="ticket printer", name="EPSON TM-T88V", baud=baud)
        values = devices.settings_of(found, path, config)
        assert (values["ticket_printer.port"], values["ticket_printer.link"]) == (path, link)
        assert values.get("ticket_printer.baud") == (baud if link == "serial" else None)


async def test_both_devices_of_an_mdb_bus_can_be_chosen(tmp_path: Path) -> None:
    """They share the bridge's port; a scan for ccTalk addresses in cabinet.toml is of no use to them."""
    config = configuration(tmp_path)
    assert config.coin_acceptor is not None
    scans = msgspec.structs.replace(config, coin_acceptor=msgspec.structs.replace(config.coin_acceptor, address="scan"))
    async with new_cabinet(tmp_path, scans) as (rig, hand):
        _fit(rig, (PortFound(path="/dev/serial/by-path/m", device="/dev/ttyACM0", heard=Heard(BUS)),))
        await choose_language(hand, "English")
        await identify(hand)
        await hand.to(steps.TITLES[Step.DEVICES])
        await hand.to(devices.SEARCH)
        await rig.until_true(lambda: hand.shows(devices.FOUND))
        assert [row.place for row in hand.page.rows[1:]] == ["coin changer, mdb", "bill validator, mdb"]
        await hand.to(devices.USE_ALL)
        await hand.agrees()
        await rig.until_true(lambda: bool(hand.page.message))
        fitted = rig.machine.settings.fitted
        for one in (fitted.coin_acceptor, fitted.bill_validator):
            assert one is not None
            assert (one.port, one.protocol) == ("/dev/serial/by-path/m", "mdb")
        assert fitted.coin_acceptor is not None
        assert fitted.coin_acceptor.address == 2


async def test_a_demo_has_no_guide(tmp_path: Path) -> None:
    """A demo's technician comes into the menu; the guide can be opened there as U.14."""
    async with Rig(tmp_path) as rig:
        await rig.door(is_open=True)
        hand = Hand(rig)
        await hand.technician()
        assert hand.page.code == ""
        await hand.go("U.14")
        assert [row.label for row in hand.page.rows[1:]] == [steps.TITLES[step] for step in Step]


def _key_alone(folder: Path) -> Config:
    config = _without_devices(folder)
    return msgspec.structs.replace(config, service=msgspec.structs.replace(config.service, technician_key_alone=True))


async def test_a_new_cabinet_whose_key_needs_no_pin_is_guided_too(tmp_path: Path) -> None:
    """Language, then the guide at once; the steps say that there is no PIN, and where to set one; it ends but once."""
    async with new_cabinet(tmp_path, _key_alone(tmp_path), until="attract") as (rig, hand):
        await hand.turn(Role.TECHNICIAN)
        assert hand.page.message == WORDS["language"]
        await hand.to("Deutsch")
        await rig.until_true(lambda: hand.page.code == steps.CODE)
        assert rig.machine.settings.config.cabinet.language == "de"
        await hand.to(steps.TITLES[Step.SITE])
        await hand.to(steps.GO_ON)
        assert hand.page.rows[0].label == steps.NO_PIN
        await hand.to(steps.GO_ON)
        await rig.restart()
        await rig.door(is_open=True)
        await hand.turn(Role.TECHNICIAN)
        await rig.until_true(lambda: hand.page.code == steps.CODE)
        assert hand.page.rows[1].label == steps.TITLES[Step.DEVICES], "no language again, and the next step"
        await hand.to(steps.TITLES[Step.END])
        assert end.KEY_ALONE in [row.label for row in hand.page.rows]
        await hand.to(end.END_HERE)
        await rig.until_true(lambda: hand.page.message == end.ENDED)
        await hand.leave(Role.TECHNICIAN)
        await rig.door(is_open=False)
        await rig.until("attract")
        await hand.turn(Role.TECHNICIAN)
        await rig.until_true(lambda: not hand.page.gate)
        assert hand.page.code == ""


async def test_a_pin_that_is_wanted_in_the_guide_is_chosen_by_the_next_who_turns_the_key(tmp_path: Path) -> None:
    """The rule is changed in the step of people: then nobody comes in, and nothing is played, without a PIN."""
    async with new_cabinet(tmp_path, _key_alone(tmp_path), until="attract") as (rig, hand):
        await hand.turn(Role.TECHNICIAN)
        await hand.to("English")
        await rig.until_true(lambda: hand.page.code == steps.CODE)
        await hand.to(steps.TITLES[Step.PEOPLE])
        await hand.to("Technician's key opens without a PIN")
        await hand.agrees()
        await rig.until_true(lambda: NO_PIN in {fault.code for fault in rig.machine.conditions.faults})
        assert not rig.machine.settings.key_alone(Role.TECHNICIAN)
        await hand.leave(Role.TECHNICIAN)
        await hand.turn(Role.TECHNICIAN)
        await hand.to("English")
        await rig.until_true(lambda: hand.page.entry == "Your name")
        await identify(hand)
        assert hand.page.code == steps.CODE
        assert NO_PIN not in {fault.code for fault in rig.machine.conditions.faults}
        await hand.to(steps.TITLES[Step.PEOPLE])
        assert steps.NO_PIN not in [row.label for row in hand.page.rows]
