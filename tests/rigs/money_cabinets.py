"""Whole cabinets on virtual time that take pulses, pay by a SMART Hopper or with notes, or have an MDB bus."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from msgspec.structs import replace

from controller.hardware.wires import Wires
from controller.journal.store import Store
from drivers.simulated.mdb.bill_validator import BillHabits, SimulatedMdbBills
from drivers.simulated.mdb.bridge import MdbBridge
from drivers.simulated.mdb.coin_changer import ChangerHabits, SimulatedChanger
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.pins.pulse_acceptor import SimulatedPulseAcceptor
from drivers.simulated.ssp.payout_store import StoreHabits
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import HopperHabits, SimulatedSmartHopper
from drivers.wiring import PulseAcceptor, PulseChannel
from tests.rigs.virtual_cabinet import ContactPin, Powered, VirtualCabinet

COIN_PINS, NOTE_PINS = (13, 14), (27, 26)
"""Enable and pulses of the two acceptors: pins that the sample has for hard meters."""

COIN_PULSES = {"2": 50, "4": 100, "8": 200}
NOTE_PULSES = {"2": 500, "4": 1000, "6": 2000}

UNIT = 500
"""The smallest note that a recycler keeps."""

COIN_UNIT = 50

TUBE_UNIT = 10
"""The step in which a changer's tubes pay."""


class WatchedPin(ContactPin):
    """A pin whose far end sees each level that is driven, and none once the pin is an input again."""

    far_ends: ClassVar[list[SimulatedPulseAcceptor]]

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        self._show(level=bool(value))

    def _set_function(self, value: str) -> None:
        super()._set_function(value)
        if value == "input":
            self._show(level=False)

    def _show(self, *, level: bool) -> None:
        for acceptor in self.far_ends:
            acceptor.output(self._bcm, level=level)


class PulseCabinet(VirtualCabinet):
    """Coins and notes come by pulses; `put_in` and `boxed` are what the hand gave and what lies in the cash box."""

    pin_class = WatchedPin

    def __init__(self, folder: Path, *, games: Sequence[str] = ("neptune",), enable: bool = True) -> None:
        super().__init__(folder, games=games)
        pins = self.config.pins
        self.pulse_lines = {
            kind: PulseAcceptor(
                currency="EUR",
                enable=lines[0] if enable else None,
                channels={"a": PulseChannel(pin=lines[1], values_cents=values)},
            )
            for kind, lines, values in (("coin", COIN_PINS, COIN_PULSES), ("note", NOTE_PINS, NOTE_PULSES))
        }
        self.config = replace(
            self.config,
            pins=replace(pins, meters={"drop": pins.meters["drop"]}, pulse=self.pulse_lines),
            coin_acceptor=None,
            bill_validator=None,
        )
        self.boxed_cents = 0
        self.pulses = {
            kind: SimulatedPulseAcceptor(wired, drive=self._drive, accepted=self._boxed, returned=self._coin_returned)
            for kind, wired in self.pulse_lines.items()
        }
        self.lines = {"hopper": self.lines["hopper"]}
        self.wired["far_ends"] = [*self.pulses.values()]
        self.fit_pins()

    @property
    def devices(self) -> tuple[Powered, ...]:
        return (self.hopper, *self.pulses.values())

    def _boxed(self, cents: int) -> None:
        self.boxed_cents += cents

    def _drive(self, pin: int | str, level: bool) -> None:  # noqa: FBT001 - the device's callback
        assert isinstance(pin, int)
        (self.closed.discard if level else self.closed.add)(pin)
        contact = self.factory.pin(pin)
        if contact.function == "input":
            (contact.drive_high if level else contact.drive_low)()


class SmartHopperCabinet(VirtualCabinet):
    """A SMART Hopper with several kinds of coins pays; `coins_boxed_cents` fell into its cash box."""

    def __init__(
        self,
        folder: Path,
        *,
        games: Sequence[str] = ("neptune",),
        stock: Mapping[int, int] | None = None,
        store: StoreHabits | None = None,
        keeps_events: bool = False,
        books: type[Store] = Store,
    ) -> None:
        super().__init__(folder, games=games, store=books)
        assert self.config.hopper is not None
        self.config = replace(
            self.config, hopper=replace(self.config.hopper, protocol="ssp", coin_value_cents=COIN_UNIT)
        )
        self.coins_boxed_cents = 0
        self.payer = SimulatedSmartHopper(
            value_cents=COIN_UNIT,
            stock=stock if stock is not None else {50: 100, 100: 100, 200: 50},
            coin_out=self._coin_out,
            boxed=self._coin_boxed,
            habits=HopperHabits(store=store or StoreHabits(), keeps_events=keeps_events),
        )
        self.lines["hopper"] = MemoryLine(self.payer, path="hopper")

    @property
    def devices(self) -> tuple[Powered, ...]:
        return (self.coins, self.bills, self.payer)

    def _coin_boxed(self, cents: int) -> None:
        self.coins_boxed_cents += cents


class RecyclerCabinet(VirtualCabinet):
    """The bill validator keeps notes and pays with them; `stacked_cents` is what lies in its cash box."""

    def __init__(
        self,
        folder: Path,
        *,
        games: Sequence[str] = ("neptune",),
        stored: Mapping[int, int] | None = None,
        store: StoreHabits | None = None,
        float_coins: int = 0,
        books: type[Store] = Store,
    ) -> None:
        super().__init__(folder, protocol="ssp", games=games, store=books)
        assert self.config.hopper is not None
        assert self.config.bill_validator is not None
        self.config = replace(
            self.config,
            bill_validator=replace(self.config.bill_validator, encryption="on"),
            hopper=replace(
                self.config.hopper, port="bill", protocol="ssp", coin_value_cents=UNIT, float_coins=float_coins
            ),
        )
        self.payer = SimulatedRecycler(
            returned=self._note_returned,
            stacked=self._note_stacked,
            note_out=self._coin_out,
            stored=stored,
            value_cents=UNIT,
            store_habits=store,
        )
        self.bills = self.payer
        line = MemoryLine(self.payer, path="bill")
        self.lines = {"coin": self.lines["coin"], "bill": line}

    @property
    def devices(self) -> tuple[Powered, ...]:
        return (self.coins, self.payer)

    @property
    def stored_cents(self) -> int:
        """What lies in the store."""
        return sum(cents * notes for cents, notes in self.payer.store.held.items())


class MdbCabinet(VirtualCabinet):
    """A coin changer, whose tubes pay, and a bill validator behind one bridge, on the line `mdb`.

    `coins_boxed_cents` fell into the cash box.
    """

    def __init__(
        self,
        folder: Path,
        *,
        games: Sequence[str] = ("neptune",),
        stock: Mapping[int, int] | None = None,
        changer: ChangerHabits | None = None,
        bills: BillHabits | None = None,
    ) -> None:
        super().__init__(folder, games=games)
        config = self.config
        assert config.coin_acceptor is not None
        assert config.bill_validator is not None
        assert config.hopper is not None
        self.config = replace(
            config,
            coin_acceptor=replace(config.coin_acceptor, port="mdb", protocol="mdb"),
            bill_validator=replace(config.bill_validator, port="mdb", protocol="mdb"),
            hopper=replace(config.hopper, port="mdb", protocol="mdb", coin_value_cents=TUBE_UNIT),
        )
        self.coins_boxed_cents = 0
        self.changer = SimulatedChanger(
            stock=stock if stock is not None else {10: 30, 20: 30, 50: 30, 100: 30},
            habits=changer,
            returned=self._coin_returned,
            coin_out=self._coin_out,
            boxed=self._coin_boxed,
        )
        self.notes = SimulatedMdbBills(returned=self._note_returned, stacked=self._note_stacked, habits=bills)
        self.bills = self.notes
        self.bridge = MdbBridge([self.changer, self.notes])
        self.lines = {"mdb": MemoryLine(self.bridge, path="mdb")}

    @property
    def devices(self) -> tuple[Powered, ...]:
        return (self.bridge,)

    def wires(self) -> Wires:
        return super().wires()._replace(bridge_port=lambda path: self.lines[path].port)

    @property
    def tubes_cents(self) -> int:
        """What lies in the tubes."""
        return sum(value * coins for value, coins in self.changer.kept.items())

    def _coin_boxed(self, cents: int) -> None:
        self.coins_boxed_cents += cents
