"""All simulated devices of one cabinet, wired as a `cabinet.toml` says, and the contents of its slots and trays."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from drivers.clock import Clock
from drivers.currency import EURO, Currency
from drivers.pin_names import ExpanderPin, Pin, address_of, expander_pin
from drivers.simulated.cards.wedge import SimulatedWedge
from drivers.simulated.cctalk import coin_acceptor
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.coin_path import CoinPath
from drivers.simulated.cctalk.settings import settings_of
from drivers.simulated.expander.i2c_wire import I2C_SOCKET, ChipBus, I2cWire
from drivers.simulated.expander.mcp23017 import Mcp23017
from drivers.simulated.fitted import (
    Fitted,
    Payer,
    fitted_changer,
    fitted_hopper,
    pays_from_tubes,
    pays_with_notes,
    with_serial,
)
from drivers.simulated.front import TICKETS_FOLDER, Front
from drivers.simulated.lines import bridged, plug_in, shared_lines
from drivers.simulated.mdb.bill_validator import SimulatedMdbBills
from drivers.simulated.mdb.coin_changer import SimulatedChanger
from drivers.simulated.memory import Memory
from drivers.simulated.misbehaviour import Kind, Way
from drivers.simulated.note_path import Paper
from drivers.simulated.pins.panel import Panel
from drivers.simulated.pins.pulse_acceptor import SimulatedPulseAcceptor
from drivers.simulated.pins.wire import PinWire
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from drivers.simulated.validators import fitted_validator
from drivers.simulated.whereabouts import HasMoney, Money, Piece, Spot, cents, together
from drivers.wiring import PulseAcceptor, Wiring, at_first

if TYPE_CHECKING:
    from drivers.simulated.escpos.printer import SimulatedPrinter
    from drivers.simulated.escpos.tray import TicketTray
    from drivers.simulated.validators import Validator

PINS_SOCKET = "pins.sock"
# From the gate to the credit sensor: time enough for the mains to fail in between.
_COIN_TRAVEL_S = 0.15
# More would not fit into one packet of the front.
_SHOWN_TICKETS = 20


class SimulatedCabinet:
    """The devices of `wiring`, made for money of `currency`; sockets and terminals in the directory `run`.

    Only wired devices exist. Devices wired to one port share one line, at the link of the first of them; `echo` says
    whether such a line echoes. `on_change()` is called whenever the result of `front()` may have changed.
    """

    def __init__(
        self,
        wiring: Wiring,
        run: Path,
        clock: Clock,
        *,
        memory: Memory,
        on_change: Callable[[], None],
        currency: Currency = EURO,
        echo: bool = False,
    ) -> None:
        self._currency = currency
        self._run = run
        self._echo = echo
        self._on_change = on_change
        self._mains = False
        self._crashes = 0
        self._tray_cents = self._tray_coins = 0
        self._coin_return_cents = self._bill_return_cents = 0
        self._stacked_cents = memory.stacked_cents
        self._stacked_tickets = memory.stacked_tickets
        self._returned_tickets: tuple[str, ...] = ()
        self._coins_aside = 0
        self._clock = clock
        self.panel = Panel(
            wiring.pins, drive=self._drive, on_change=on_change, figures=memory.meters, latched=memory.latched
        )
        self._chips = {name: self._fit_chip(name, wiring) for name in wiring.pins.expanders}
        fitted = wiring.pins.expanders.items()
        self._resets = {wired.reset: self._chips[name] for name, wired in fitted if wired.reset is not None}
        # an interrupt line is high unless a chip pulls it to ground
        levels = {wired.interrupt: True for _name, wired in fitted if wired.interrupt is not None}
        levels |= {pin: level for pin, level in self.panel.inputs().items() if isinstance(pin, int)}
        self.coins = CoinPath(wiring, cash_box_cents=memory.cash_box_cents, on_change=on_change)
        self._pulses = {kind: self._fit_pulses(kind, wired) for kind, wired in wiring.pins.pulse.items()}
        for acceptor in self._pulses.values():
            levels |= {pin: level for pin, level in acceptor.levels().items() if isinstance(pin, int)}
        self._wire = PinWire(run / PINS_SOCKET, levels, self._output, clock)
        self._bus = I2cWire(run / I2C_SOCKET, ChipBus({address_of(name): chip for name, chip in self._chips.items()}))
        self._fitted: dict[str, Fitted] = {}
        self._coin = self._fit_coin_acceptor(wiring, memory)
        self._bill = self._fit_bill_validator(wiring, memory)
        self._hopper = self._fit_hopper(wiring, memory)
        self._recycles = isinstance(self._hopper, SimulatedRecycler)
        self._tickets: TicketTray | None = None
        self._printer = self._fit_printer(wiring, memory)
        # notes that a recycler pays with do not come from the coin slot, and a changer sorts its coins itself
        self.coins.fit(
            None if isinstance(self._coin, SimulatedChanger) else self._coin,
            None if isinstance(self._hopper, SimulatedRecycler | SimulatedChanger) else self._hopper,
        )
        self._wedge = SimulatedWedge()
        self._fitted["card_reader"] = Fitted(
            self._wedge,
            {
                "half": lambda much: setattr(self._wedge, "half", bool(much)),
                "azerty": lambda much: setattr(self._wedge, "azerty", bool(much)),
            },
        )
        printer = wiring.ticket_printer
        self._printer_address = printer.port if printer is not None and printer.link == "network" else ""
        self._lines = bridged([*shared_lines(wiring), ["card_reader"]], self._fitted)

    def open(self) -> None:
        """Plug in all lines on the running loop and switch the mains on; raise `OSError` naming a path."""
        self._wire.open()
        if self._chips:
            self._bus.open()
            for pin, level in self.panel.inputs().items():
                if not isinstance(pin, int):
                    self._drive(pin, level)
        for names in self._lines:
            plug_in(names, self._fitted, self._run, echo=self._echo, network=self._printer_address)
        self.power(on=True)

    def close(self) -> None:
        """Switch off, remove sockets and terminals; may be called twice."""
        self.power(on=False)
        self._wire.close()
        self._bus.close()
        for fitted in self._fitted.values():
            fitted.close()

    def front(self) -> Front:
        """Return what a person in front of the cabinet sees."""
        return Front(
            mains=self._mains,
            latched=self.panel.latched,
            crashes=self._crashes,
            lamps=self.panel.lamps,
            tower=self.panel.tower,
            meters=self.panel.meters,
            doors=dict(self.panel.doors),
            keys=dict(self.panel.keys),
            buttons=dict(self.panel.buttons),
            tray_cents=self._tray_cents,
            tray_coins=self._tray_coins,
            hopper_coins=self._hopper.stock if self._hopper else 0,
            recycles=self._recycles,
            coin_return_cents=self._coin_return_cents,
            bill_return_cents=self._bill_return_cents,
            bill_slot=self._bill.slot if self._bill else "",
            escrow_cents=self._bill.escrow_cents if self._bill else 0,
            escrow_ticket=self._bill.escrow_ticket if self._bill else "",
            returned_tickets=self._returned_tickets[-_SHOWN_TICKETS:],
            stacked_cents=self._stacked_cents,
            stacked_tickets=self._stacked_tickets,
            cash_box_cents=self.coins.cash_box_cents,
            printer=self._printer.words if self._printer else "",
            printer_paper_mm=self._printer.paper_mm if self._printer else 0,
            tickets=self._tickets.tickets[-_SHOWN_TICKETS:] if self._tickets else (),
            money={name: worth for name, money in self.money().items() if (worth := cents(money))},
        )

    def money(self) -> dict[str, Money]:
        """Return where the money physically lies since the devices were first switched on, by device.

        Money that fell out of an acceptor lies `BELOW` it: in the hopper, which lists it in its store, or in the cash
        box.
        """
        devices = {name: fitted.device for name, fitted in self._fitted.items()}
        acceptors = {f"pulse_{kind}": acceptor for kind, acceptor in self._pulses.items()}
        lies: dict[str, Money] = {
            name: one.money() for name, one in (devices | acceptors).items() if isinstance(one, HasMoney)
        }
        if self._hopper is not None and self._coins_aside:
            aside = {Spot.TAKEN: Counter[Piece]({self._hopper.value_cents: self._coins_aside})}
            lies["hopper"] = together(lies["hopper"], aside)
        return lies

    def memory(self) -> Memory:
        """Return the memory with which the next start begins."""
        return Memory(
            meters=self.panel.meters,
            hopper_coins=self._hopper.stock + self._coins_aside if self._hopper else 0,
            hopper_lifetime=self._hopper.lifetime if self._hopper else 0,
            payout_stock={str(value): held for value, held in self._held().items()},
            stacked_cents=self._stacked_cents,
            stacked_tickets=self._stacked_tickets,
            stacker_bills=self._bill.in_stacker if isinstance(self._bill, SimulatedMdbBills) else 0,
            cash_box_cents=self.coins.cash_box_cents,
            latched=self.panel.latched,
            paper_mm=self._printer.paper_mm if self._printer else None,
            tickets=self._tickets.tickets if self._tickets else (),
            tickets_printed=self._tickets.printed if self._tickets else 0,
        )

    # Physical actions.

    def insert_coin(self, value_cents: int) -> None:
        """Put a coin into the slot; raise `ValueError` if the cabinet has no coin slot."""
        acceptor = self._coin or self._pulses.get("coin")
        if acceptor is None:
            raise ValueError("this cabinet has no coin acceptor")
        acceptor.insert(value_cents)
        self._on_change()

    def insert_note(self, value_cents: int) -> None:
        """Push a note into the slot; raise `ValueError` if the cabinet has no note slot."""
        acceptor = self._bill or self._pulses.get("note")
        if acceptor is None:
            raise ValueError("this cabinet has no bill validator")
        acceptor.insert(value_cents)
        self._on_change()

    def insert_ticket(self, number: str) -> None:
        """Push a ticket into the note slot; raise `ValueError` if there is none or no ticket has such a number."""
        if self._bill is None:
            raise ValueError("this cabinet has no bill validator")
        self._bill.insert_ticket(number)
        self._on_change()

    def present_card(self, number: str) -> None:
        """Hold a staff card to the reader; raise `ValueError` for a number that no card has."""
        self._wedge.present(number)

    def take(self, what: str) -> None:
        """Empty the `tray`, the coin return (`coins`), the mouth of the note slot (`note`) or the `ticket` tray."""
        if what == "tray":
            self._tray_cents = self._tray_coins = 0
        elif what == "coins":
            self._coin_return_cents = 0
        elif what == "note":
            self._bill_return_cents = 0
            self._returned_tickets = ()
        elif what == "ticket" and self._tickets is not None:
            self._tickets.take()
        else:
            raise ValueError(f"nobody can take {what!r}; there are tray, note, coins, and ticket of a printer")
        self._on_change()

    def fill(self, coins: int) -> None:
        """Pour coins into the hopper; raise `ValueError` if there is none."""
        if self._hopper is None:
            raise ValueError("this cabinet has no hopper")
        if self._recycles:
            raise ValueError("a recycler is filled by its mouth alone: push notes in, `note 10`")
        self._hopper.stock += coins
        self._on_change()

    def load_paper(self, millimetres: int) -> None:
        """Put a new roll into the ticket printer; raise `ValueError` if there is none."""
        self._fitted_printer().load(millimetres)
        self._on_change()

    def printer_fault(self, name: str, *, on: bool) -> None:
        """Begin or end a fault of the ticket printer; raise `ValueError` if there is no printer."""
        self._fitted_printer().set_fault(name, on)
        self._on_change()

    def crash(self) -> None:
        """Press the crash button: the launcher kills supervisor and display while the devices keep running."""
        self._crashes += 1
        self._on_change()

    def power(self, *, on: bool) -> None:
        """Switch the mains on or off. Without mains every device is dead and only non-volatile memory remains."""
        self._mains = on
        if not on:
            self._wire.power(on=False)
        for fitted in self._fitted.values():
            fitted.device.power(on=on)
        for acceptor in self._pulses.values():
            acceptor.power(on=on)
        for chip in self._chips.values():
            chip.power(on=on)
        if on:
            self._wire.power(on=True)
        self._on_change()

    # Faults.

    def misbehave(self, device: str, kind: Kind, frames: int, way: Way) -> None:
        """Inject a line fault into a device's next frames; raise `ValueError` naming the devices that exist."""
        self._named(device).misbehaviour.inject(kind, frames, way=way)

    def chance(self, device: str, what: str, probability: float, way: Way = Way.TO_HOST) -> None:
        """Set the probability of a mishap or a line fault of a device; raise `ValueError` for an unknown one."""
        acceptor = self._pulses.get(device.removeprefix("pulse_"))
        if acceptor is not None and device.startswith("pulse_"):
            acceptor.mishaps.rate(what, probability)
            return
        fitted = self._named(device)
        if what in set(Kind):
            fitted.misbehaviour.rate(Kind(what), probability, way=way)
        elif fitted.mishaps is None:
            raise ValueError(f"nothing befalls {device} by chance but on its line: {', '.join(Kind)}")
        else:
            fitted.mishaps.rate(what, probability)

    def fault(self, device: str, what: str, much: int) -> None:
        """Begin (`much` 1) or end (0) a fault, or cause it `much` times; raise `ValueError` naming the known faults."""
        faults = self._plugs(device) or self._named(device).faults
        if what not in faults:
            lines = () if self._plugs(device) else tuple(Kind)
            raise ValueError(f"{device} knows no fault {what!r}; there are {', '.join((*faults, *lines))}")
        faults[what](much)
        self._on_change()

    def faults(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the possible faults by device, as `fault` and `misbehave` take them."""
        lines = {name: (*sorted(fitted.faults), *Kind) for name, fitted in self._fitted.items()}
        plugs = (
            *self._chips,
            *(f"meter_{name}" for name in self.panel.plugged),
            *(f"pulse_{one}" for one in self._pulses),
        )
        return lines | {name: tuple(sorted(self._plugs(name))) for name in plugs}

    def _plugs(self, device: str) -> dict[str, Callable[[int], None]]:
        """Return the faults of header devices: a hard meter (`meter_coin_in`), an expander (`x20`), `pulse_coin`."""
        meter = device.removeprefix("meter_")
        if device != meter and meter in self.panel.plugged:
            return {"unplugged": lambda much: self.panel.plug(meter, plugged=not much)}
        if device in self._chips:
            return {"unplugged": lambda much: setattr(self._chips[device], "dead", bool(much))}
        kind = device.removeprefix("pulse_")
        return self._pulses[kind].troubles() if device != kind and kind in self._pulses else {}

    def _named(self, device: str) -> Fitted:
        if device not in self._fitted:
            named = [*(f"meter_{name}" for name in self.panel.plugged), *(f"pulse_{kind}" for kind in self._pulses)]
            there_are = (*self._fitted, *self._chips, *named)
            raise ValueError(f"there is no device {device!r}; there are {', '.join(there_are)}")
        return self._fitted[device]

    def _fitted_printer(self) -> "SimulatedPrinter":
        if self._printer is None:
            raise ValueError("this cabinet has no ticket printer")
        return self._printer

    def _held(self) -> Mapping[int, int]:
        """Return what an eSSP payout device or else a coin changer holds, by value."""
        if isinstance(self._hopper, SimulatedSmartHopper | SimulatedRecycler):
            return self._hopper.store.held
        return self._coin.kept if isinstance(self._coin, SimulatedChanger) else {}

    def _empty(self, much: int) -> None:
        """Take all coins out of the hopper and lay them aside, or pour them back."""
        if self._hopper is None:
            return
        if much:
            self._coins_aside += self._hopper.stock
            self._hopper.stock = 0
        else:
            self._hopper.stock += self._coins_aside
            self._coins_aside = 0

    # Callbacks of the devices.

    def _drive(self, pin: Pin, level: bool) -> None:  # noqa: FBT001 - Panel's callback
        named = expander_pin(pin)
        if named is not None:
            # a contact that is open leaves the pin to its pull-up
            self._chips[named.expander].drive(named.bit, level=None if level else False)
        elif isinstance(pin, int):
            self._wire.drive(pin, level=level)

    def _output(self, pin: int, level: bool, at: float) -> None:  # noqa: FBT001 - PinWire's callback
        if pin in self._resets:
            self._resets[pin].reset(active=not level)
        else:
            for acceptor in self._pulses.values():
                acceptor.output(pin, level=level)
            self.coins.drive(pin, level=level)
            self.panel.output(pin, level, at)

    def _coin_returned(self, value_cents: int) -> None:
        self._coin_return_cents += value_cents
        self._on_change()

    def _paper_returned(self, paper: Paper) -> None:
        if isinstance(paper, str):
            self._returned_tickets += (paper,)
        else:
            self._bill_return_cents += paper
        self._on_change()

    def _paper_stacked(self, paper: Paper) -> None:
        if isinstance(paper, str):
            self._stacked_tickets += 1
        else:
            self._stacked_cents += paper
        self._on_change()

    def _coin_boxed(self, value_cents: int) -> None:
        self.coins.cash_box_cents += value_cents
        self._on_change()

    def _coin_out(self, value_cents: int) -> None:
        self._tray_cents += value_cents
        self._tray_coins += 1
        self._on_change()

    # Building the devices.

    def _fit_chip(self, name: str, wiring: Wiring) -> Mcp23017:
        wired = wiring.pins.expanders[name]

        def put_out(bit: int, level: bool) -> None:  # noqa: FBT001 - the chip's callback
            self.panel.output(str(ExpanderPin(name, bit)), level, self._clock.now())

        def interrupt(pulled: bool) -> None:  # noqa: FBT001 - the chip's callback
            if wired.interrupt is not None:
                self._wire.drive(wired.interrupt, level=not pulled)

        chip = Mcp23017(put_out, interrupt)
        # a pull-down keeps its RESET active until a supervisor drives it high
        chip.reset(active=wired.reset is not None)
        return chip

    def _fit_pulses(self, kind: str, wired: PulseAcceptor) -> SimulatedPulseAcceptor:
        coins = kind == "coin"
        return SimulatedPulseAcceptor(
            wired,
            drive=self._drive,
            accepted=self.coins.fall if coins else self._paper_stacked,
            returned=self._coin_returned if coins else self._paper_returned,
        )

    def _fit_coin_acceptor(self, wiring: Wiring, memory: Memory) -> SimulatedCoinAcceptor | SimulatedChanger | None:
        wired = wiring.coin_acceptor
        if wired is None:
            return None
        if wired.protocol == "mdb":
            changer = fitted_changer(
                wiring,
                currency=self._currency,
                by_value=memory.stock_by_value,
                returned=self._coin_returned,
                coin_out=self._coin_out,
                boxed=self._coin_boxed,
                changed=self._on_change,
            )
            self._fitted["coin"] = Fitted(changer, changer.troubles(), changer.mishaps)
            return changer
        device = SimulatedCoinAcceptor(
            address=at_first(wired.address, 2),
            country=self._currency.country,
            identity=with_serial(coin_acceptor.IDENTITY, wired.serial),
            travel_s=_COIN_TRAVEL_S,
            returned=self._coin_returned,
        )

        def stick(much: int) -> None:
            self.coins.diverter_stuck = bool(much)

        own = {**device.troubles(), "diverter_stuck": stick, **settings_of(device)}
        self._fitted["coin"] = Fitted(device, own, device.mishaps)
        return device

    def _fit_bill_validator(self, wiring: Wiring, memory: Memory) -> "Validator | None":
        if wiring.bill_validator is None:
            return None
        device = fitted_validator(
            wiring.bill_validator,
            currency=self._currency,
            returned=self._paper_returned,
            stacked=self._paper_stacked,
            changed=self._on_change,
            recycler=wiring.hopper if pays_with_notes(wiring) else None,
            stored=memory.stock_by_value,
            note_out=self._coin_out,
        )

        if isinstance(device, SimulatedMdbBills):
            device.in_stacker = memory.stacker_bills
        self._fitted["bill"] = Fitted(device, {**device.troubles(), **settings_of(device)}, device.mishaps)
        return device

    def _fit_hopper(self, wiring: Wiring, memory: Memory) -> Payer | None:
        wired = wiring.hopper
        if wired is None:
            return None
        device: Payer
        if isinstance(self._bill, SimulatedRecycler):
            device = self._bill
        elif isinstance(self._coin, SimulatedChanger) and pays_from_tubes(wiring):
            device = self._coin
        else:
            device = fitted_hopper(
                wired,
                currency=self._currency,
                coins=memory.hopper_coins,
                by_value=memory.stock_by_value,
                coin_out=self._coin_out,
                boxed=self._coin_boxed,
                changed=self._on_change,
            )
            own = {"empty": self._empty, **device.troubles(), **settings_of(device)}
            self._fitted["hopper"] = Fitted(device, own, device.mishaps)
        device.lifetime = memory.hopper_lifetime
        return device

    def _fit_printer(self, wiring: Wiring, memory: Memory) -> "SimulatedPrinter | None":
        wired = wiring.ticket_printer
        if wired is None:
            return None
        # drawing needs libraries that only a cabinet with a printer has
        from drivers.simulated.escpos.build import Build  # noqa: PLC0415
        from drivers.simulated.escpos.printer import SimulatedPrinter  # noqa: PLC0415
        from drivers.simulated.escpos.tray import TicketTray  # noqa: PLC0415

        tray = TicketTray(
            self._run / TICKETS_FOLDER,
            tickets=memory.tickets,
            printed=memory.tickets_printed,
            changed=self._on_change,
        )
        # a USB device file has no speed of its own
        build = Build(baud=wired.baud if wired.link == "serial" else 0, width=wired.dots // 8 * 8)
        if memory.paper_mm is not None:
            build = msgspec.structs.replace(build, roll_mm=memory.paper_mm)
        device = SimulatedPrinter(dropped=tray.drop, changed=self._on_change, build=build)

        self._tickets = tray
        self._fitted["printer"] = Fitted(device, device.troubles())
        return device
