"""The wiring of the cabinet: the tables of `cabinet.toml` about pins and ports.

A pin is a BCM number or an expander's pin (`drivers.pin_names`). Each struct is the settings of the driver of the
same name.
"""

from typing import Annotated, Final, Literal, get_args

import msgspec

from common.bounds import NOT_EMPTY, between
from drivers.currency import CURRENCIES, EURO, Currency, written_so
from drivers.pin_names import HeaderPin, Pin

SCAN: Final = "scan"
Address = Annotated[int, between(2, 255, "a ccTalk address; 0 is broadcast and 1 the host")] | Literal["scan"]
"""A ccTalk device's address, or "scan" to search for a device of its category."""
CoinProtocol = Literal["cctalk", "mdb"]
BillProtocol = Literal["id003", "ssp", "cctalk", "ebds", "mdb"]
READS_TICKETS: Final[frozenset[BillProtocol]] = frozenset(("cctalk", "ebds", "id003", "ssp"))
"""The protocols whose drivers read the barcodes of tickets."""
HopperProtocol = Literal["cctalk", "ssp", "mdb"]
HopperSecurity = Literal["serial", "zeros", "cipher_unused"]
SspEncryption = Literal["auto", "on", "off"]
"""Whether an SSP validator is used with eSSP encryption: if it supports it, always, or never."""


def at_first(address: Address, usual: int) -> int:
    """Return a configured address, or the one that a scan tries first."""
    return usual if address == SCAN else address


BUTTONS = ("service", "collect", "info", "lines", "bet", "max_bet", "auto", "spin")
USUAL_DOORS = ("main", "cash_box", "logic")
"""The doors of the bench and the demo; the demo's header has no pins for the others."""
DOORS = (*USUAL_DOORS, "acceptor", "meters")
Key = Literal["attendant", "technician"]
KEYS: Final[tuple[Key, ...]] = get_args(Key)
BY_LANGUAGE: Final = "language"
"""Value of a separator of amounts that follows the cabinet's language."""
COIN_GATES = ("lockout", "diverter")
PULSE_ACCEPTORS = ("coin", "note")
PULSE_CHANNELS = ("a", "b", "c", "d", "e", "f", "g", "h")
MOST_PULSES: Final = 250
"""The maximum number of pulses of a coin or note."""
METERS = ("coin_in", "coin_out", "drop", "hand_pay", "games")
TIERS = ("top", "upper", "lower", "bottom")
Baud = Literal[9_600, 19_200, 38_400, 57_600, 115_200]
BAUDS: Final[tuple[Baud, ...]] = get_args(Baud)
"""The rates of a ticket printer's serial line."""


class Money(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[cabinet.money]`: the currency that the cabinet is played in, and how its amounts are written.

    `currency` is its code of ISO 4217; where it is empty the `symbol` says which it is, and without one it is the euro.
    `country` and `id003_country` are what ccTalk and ID-003 devices call it, where that is not the usual. `symbol` and
    `symbol_first` are the currency's usual ones where they are left out, `decimal` and `thousands` those of the
    cabinet's language where they are `BY_LANGUAGE`. `1.234,50 €` has decimal `,` and thousands `.`, the symbol last.
    """

    currency: str = ""
    country: str = ""
    id003_country: (
        Annotated[int, between(0, 255, "the country byte of an ID-003 validator's currency table")] | None
    ) = None
    symbol: str = ""
    decimal: Annotated[str, NOT_EMPTY] = BY_LANGUAGE
    thousands: str = BY_LANGUAGE
    symbol_first: bool | None = None

    @property
    def tender(self) -> Currency:
        """The currency that money devices must take."""
        known = CURRENCIES[self.currency] if self.currency else written_so(self.symbol) or EURO
        byte = known.id003 if self.id003_country is None else self.id003_country
        return msgspec.structs.replace(known, country=self.country or known.country, id003=byte)


class Button(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A lit button: contact to ground on `pin`, lamp driven by `lamp`.

    `wire` here and below is the colour of the pin's wire, for the service menu; empty if unknown.
    """

    pin: Pin
    lamp: Pin
    wire: str = ""
    lamp_wire: str = ""


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A key switch or door switch; `active` is the level (0 or 1) that means turned key or open door.

    A cut wire reads as 1, by the pull-up of every input: a key that is not turned, and of a `Door` an open one.
    """

    pin: Pin
    active: Annotated[int, between(0, 1, "a level")] = 0
    wire: str = ""


class Door(Input, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A door switch: closed to ground while the door is shut."""

    active: Annotated[int, between(0, 1, "a level")] = 1


class Latch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The logic door's latch, which remembers an opening without power.

    `pin` reads the level `active` while it remembers one; a pulse of `reset_ms` on `reset` makes it forget.
    """

    pin: Pin
    reset: Pin
    active: Annotated[int, between(0, 1, "a level")] = 1
    reset_ms: Annotated[int, between(1, 500, "ms")] = 50
    wire: str = ""
    reset_wire: str = ""


class Output(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A coin gate."""

    pin: Pin
    wire: str = ""


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tower-light tier; `colour` is its lens's, for the service menu."""

    pin: Pin
    wire: str = ""
    colour: str = ""


class Meter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A hard meter: one pulse is one `unit_cents` (one game for the games meter).

    `sense` is a contact that its plug closes to ground; without it an unplugged meter is not detected.
    """

    pin: Pin
    pulse_ms: Annotated[int, between(20, 500, "ms")] = 50
    gap_ms: Annotated[int, between(20, 500, "ms")] = 50
    sense: Pin | None = None
    wire: str = ""
    sense_wire: str = ""


class Expander(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An MCP23017 on the header's I2C bus, read every `poll_ms`.

    `interrupt` is the header's pin at its INTA, by which it is read as soon as something moves; `reset` the one at its
    RESET, by which all its outputs go off however the program ends. Either may be left out.
    """

    interrupt: HeaderPin | None = None
    reset: HeaderPin | None = None
    poll_ms: Annotated[int, between(2, 50, "ms; a tap of a finger lasts 30 ms at least")] = 5


class PulseChannel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One output of a pulse acceptor; `values_cents` are the values of its coins or notes by their number of pulses."""

    pin: Pin
    values_cents: dict[str, Annotated[int, between(1, 1_000_000, "cents")]]
    wire: str = ""

    @property
    def values(self) -> dict[int, int]:
        """The value in cents of each number of pulses."""
        return {int(pulses): cents for pulses, cents in self.values_cents.items()}


class PulseAcceptor(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A coin or note acceptor that gives pulses, on one pin or on one for each kind of coin.

    Its `currency` is written down here because it reports none. Current on `enable` lets money in; without current
    the acceptor is inhibited. A pulse is the level `active` for `least_ms` to `most_ms`; after `end_ms` without one the
    pulses are counted as one coin or note.
    """

    currency: str
    channels: dict[str, PulseChannel]
    enable: Pin | None = None
    active: Annotated[int, between(0, 1, "a level")] = 0
    least_ms: Annotated[int, between(2, 100, "ms; shorter is noise")] = 15
    most_ms: Annotated[int, between(20, 500, "ms; longer is a line that is stuck")] = 150
    end_ms: Annotated[int, between(100, 2_000, "ms without a pulse that end a burst")] = 400
    enable_wire: str = ""


class Pins(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything on the header and on its expanders. `factory` is `lgpio`, or `simulated` in a demo.

    `meter_unit_cents` is the value of a pulse of a hard meter, `meter_batch` how many of one are recorded at once.
    """

    factory: Literal["lgpio", "simulated"] = "lgpio"
    expanders: dict[str, Expander] = {}
    debounce_ms: Annotated[int, between(1, 50, "ms; longer bounces mean a worn contact")] = 8
    buttons: dict[str, Button]
    doors: dict[str, Door]
    keys: dict[str, Input]
    tower: dict[str, Tier]
    meters: dict[str, Meter]
    logic_latch: Latch | None = None
    meter_unit_cents: Annotated[int, between(1, 100_000, "cents")] = 10
    meter_batch: Annotated[int, between(1, 100, "pulses")] = 20
    coin: dict[str, Output] = {}
    pulse: dict[str, PulseAcceptor] = {}


class CoinAcceptor(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A coin acceptor that speaks ccTalk, or an MDB coin changer. `serial` of 0 accepts any device and remembers it.

    `coins_cents` are the coins it takes, every coin it knows where that is empty. `address` is ccTalk's; where such a
    device has a sorter, `hopper_path` is the path to the hopper and `cash_box_path` the one of all other coins; 0 is no
    sorter.
    """

    port: Annotated[str, NOT_EMPTY]
    protocol: CoinProtocol = "cctalk"
    address: Address = 2
    serial: Annotated[
        int, between(0, 0xFFFFFFFF, "a ccTalk serial number of 24 bits or an MDB one of 32, or 0 for any")
    ] = 0
    poll_ms: Annotated[int, between(20, 500, "ms; the device keeps five events only")] = 200
    coins_cents: tuple[Annotated[int, between(1, 20_000, "cents")], ...] = ()
    hopper_path: Annotated[int, between(0, 8, "a path of the coin acceptor's sorter, or 0 where it has none")] = 0
    cash_box_path: Annotated[int, between(1, 8, "a path of the coin acceptor's sorter")] = 1


class BillValidator(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A bill validator that speaks ID-003, SSP, ccTalk, EBDS or, through a bridge, MDB.

    The `parity` of ID-003 and EBDS is `even` on a UART and `none` on a pty; `address` is ccTalk's. `serial` of 0
    accepts any device; ID-003 has no serial numbers, and EBDS devices are not asked for theirs. `yoyo_notes` drawn back
    out of escrow, or `rejected_notes`, within `alarm_window_s` raise an alarm (D8); 0 switches that alarm off.
    `encryption` and `ssp_key` are SSP's: whether eSSP is spoken, and the fixed part of its key as 16 hex digits, its
    maker's where it is empty. `cctalk_key` is the key of six digits of a ccTalk validator that encrypts its frames,
    empty for one that does not.
    """

    port: Annotated[str, NOT_EMPTY]
    protocol: BillProtocol = "id003"
    address: Address = 40
    serial: Annotated[int, between(0, 0xFFFFFFFF, "a serial number of 32 bits, a ccTalk one of 24, or 0 for any")] = 0
    parity: Literal["none", "even"] = "even"
    poll_ms: Annotated[int, between(50, 200, "ms; an ID-003 host polls every 100 to 200 ms, an SSP host every 200")] = (
        100
    )
    yoyo_notes: Annotated[int, between(0, 100, "notes; 0 switches the alarm off")] = 3
    rejected_notes: Annotated[int, between(0, 1_000, "notes; 0 switches the alarm off")] = 10
    alarm_window_s: Annotated[int, between(10, 3_600, "s")] = 120
    encryption: SspEncryption = "auto"
    ssp_key: str = ""
    cctalk_key: str = ""


class Hopper(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A hopper that speaks ccTalk or eSSP, an SSP validator's note recycler, or the tubes of an MDB coin changer.

    It is a recycler on the port of an SSP bill validator. Tubes are on the port of their changer, `[coin_acceptor]`.

    ccTalk: `security` is what its model wants before a dispense: its `serial` number, or `zeros`. `pin` is its PIN as
    eight hex digits, empty where its PIN mechanism is off. `address` is ccTalk's.

    eSSP: `coin_value_cents` is what it pays in, a value that each coin or note kept for payouts is a multiple of.
    `float_coins` of these values are kept, what is beyond goes to the cash box; 0 keeps all that fit. `ssp_key` is the
    fixed part of its key as 16 hex digits, its maker's where it is empty; a recycler has its validator's.
    """

    port: Annotated[str, NOT_EMPTY]
    coin_value_cents: Annotated[int, between(1, 20_000, "cents")]
    protocol: HopperProtocol = "cctalk"
    address: Address = 3
    serial: Annotated[
        int, between(0, 0xFFFFFFFF, "a ccTalk serial number of 24 bits or another one of 32, or 0 for any")
    ] = 0
    security: HopperSecurity = "serial"
    pin: str = ""
    max_coins: Annotated[int, between(1, 255, "coins; a dispense counts in one byte")] = 250
    poll_ms: Annotated[int, between(20, 500, "ms")] = 100
    float_coins: Annotated[int, between(0, 10_000, "coins; 0 keeps all that fit")] = 0
    ssp_key: str = ""


class TicketPrinter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ticket printer that speaks ESC/POS.

    `link` is how `port` reaches it: `serial` for a serial port or a USB device that is one, `usb` for a device file of
    the kernel's USB printers, `network` for a TCP address; only `serial` has a `baud`. `profile` is python-escpos's
    name for its model, by which its code pages are known; its lines have `dots` dots.
    """

    port: Annotated[str, NOT_EMPTY]
    protocol: Literal["escpos"] = "escpos"
    link: Literal["serial", "usb", "network"] = "serial"
    baud: Baud = 38_400
    profile: str = "default"
    dots: Annotated[int, between(360, 832, "dots across the paper; 360 hold a barcode of 18 digits")] = 576
    poll_ms: Annotated[int, between(100, 5_000, "ms")] = 500


class Wiring(msgspec.Struct, frozen=True, kw_only=True):
    """All wiring; decoding it from a whole `cabinet.toml` skips the tables that are not about wires."""

    pins: Pins
    coin_acceptor: CoinAcceptor | None = None
    bill_validator: BillValidator | None = None
    hopper: Hopper | None = None
    ticket_printer: TicketPrinter | None = None
