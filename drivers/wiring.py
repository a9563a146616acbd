"""The wiring of the cabinet: the tables of `cabinet.toml` about pins and ports.

A pin is a BCM number or an expander's pin (`drivers.pin_names`). Each struct is the settings of the driver of the
same name.
"""

from typing import Annotated, Final, Literal, get_args

import msgspec

from common.bounds import NOT_EMPTY, between, entries, one_of
from drivers.currency import CURRENCIES, EURO, Currency, written_so
from drivers.pin_names import EXPANDERS, HeaderPin, Pin
from drivers.validator_protocols import validator_protocols

SCAN: Final = "scan"
Address = Annotated[int, between(2, 255, "a ccTalk address; 0 is broadcast and 1 the host")] | Literal["scan"]
"""A ccTalk device's address, or "scan" to search for a device of its category."""
CoinProtocol = Literal["cctalk", "mdb"]
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
    """`[cabinet.money]`: the currency of the cabinet, and how its amounts are written."""

    currency: Annotated[str, one_of(("", *CURRENCIES))] = ""
    """The currency (ISO 4217); `""` for that of `symbol`, without one the euro."""
    country: str = ""
    """The currency's two letters in ccTalk devices, such as `"EU"`; `""` for the usual ones."""
    id003_country: (
        Annotated[int, between(0, 255, "the country byte of an ID-003 validator's currency table")] | None
    ) = None
    """The currency's country byte in ID-003 validators; the usual one if left out. Required for `"NOK"`."""
    symbol: str = ""
    """The currency's symbol; `""` for the usual one."""
    decimal: Annotated[str, NOT_EMPTY] = BY_LANGUAGE
    """The sign before the cents; `"language"` for the language's."""
    thousands: str = BY_LANGUAGE
    """The sign between groups of three digits; `"language"` for the language's."""
    symbol_first: bool | None = None
    """Whether the symbol comes first; as usual for the currency if left out."""

    @property
    def tender(self) -> Currency:
        """The currency that money devices must take."""
        known = CURRENCIES[self.currency] if self.currency else written_so(self.symbol) or EURO
        byte = known.id003 if self.id003_country is None else self.id003_country
        return msgspec.structs.replace(known, country=self.country or known.country, id003=byte)


class Button(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A lit button."""

    pin: Pin
    """The contact, closed to ground while pressed."""
    lamp: Pin
    """Its lamp."""
    wire: str = ""
    """Its colour."""
    lamp_wire: str = ""
    """Its colour."""


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A key switch."""

    pin: Pin
    """The contact."""
    active: Annotated[int, between(0, 1, "a level")] = 0
    """The level of a turned key. A cut wire reads as 1."""
    wire: str = ""
    """Its colour."""


class Door(Input, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A door switch."""

    active: Annotated[int, between(0, 1, "a level")] = 1
    """The level of an open door. A cut wire reads as 1."""


class Latch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The latch of the logic door."""

    pin: Pin
    """The contact that reads `active` while the latch remembers an opening, a pin of the header."""
    reset: Pin
    """The output that makes it forget, a pin of the header."""
    active: Annotated[int, between(0, 1, "a level")] = 1
    """The level of a set latch."""
    reset_ms: Annotated[int, between(1, 500, "ms")] = 50
    """The length of the pulse on `reset`."""
    wire: str = ""
    """Its colour."""
    reset_wire: str = ""
    """Its colour."""


class Output(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A coin gate."""

    pin: Pin
    """The output."""
    wire: str = ""
    """Its colour."""


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tier of the tower light."""

    pin: Pin
    """The output."""
    wire: str = ""
    """Its colour."""
    colour: str = ""
    """The colour of the lens."""


class Meter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A hard meter."""

    pin: Pin
    """The output of the coil, a pin of the header."""
    pulse_ms: Annotated[int, between(20, 500, "ms")] = 50
    """The length of a pulse."""
    gap_ms: Annotated[int, between(20, 500, "ms")] = 50
    """The pause after a pulse."""
    sense: Pin | None = None
    """A contact that the meter's plug closes to ground; without it an unplugged meter is not noticed."""
    wire: str = ""
    """Its colour."""
    sense_wire: str = ""
    """Its colour."""


class Expander(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An MCP23017."""

    interrupt: HeaderPin | None = None
    """The header's pin at INTA: the chip is then read as soon as an input changes."""
    reset: HeaderPin | None = None
    """The header's pin at RESET: all outputs then go off whenever the program ends."""
    poll_ms: Annotated[int, between(2, 50, "ms; a tap of a finger lasts 30 ms at least")] = 5
    """The interval at which it is read."""


class PulseChannel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One output of a pulse acceptor."""

    pin: Pin
    """The input."""
    values_cents: Annotated[dict[str, Annotated[int, between(1, 1_000_000, "cents")]], entries("number of pulses")]
    """The value of a coin or note in cents, by its number of pulses (1 to 250)."""
    wire: str = ""
    """Its colour."""

    @property
    def values(self) -> dict[int, int]:
        """The value in cents of each number of pulses."""
        return {int(pulses): cents for pulses, cents in self.values_cents.items()}


class PulseAcceptor(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A coin or note acceptor that gives pulses: a pulse is the level `active` for `least_ms` to `most_ms`."""

    currency: Annotated[str, one_of(CURRENCIES)]
    """The currency of its values. It must be the cabinet's: the acceptor reports none."""
    channels: Annotated[dict[str, PulseChannel], entries("pulse channel", PULSE_CHANNELS)]
    """One pin for all coins or notes, or one for each kind."""
    enable: Pin | None = None
    """An output: current lets money in; without current the acceptor must be inhibited."""
    active: Annotated[int, between(0, 1, "a level")] = 0
    """The level of a pulse."""
    least_ms: Annotated[int, between(2, 100, "ms; shorter is noise")] = 15
    """The shortest pulse."""
    most_ms: Annotated[int, between(20, 500, "ms; longer is a line that is stuck")] = 150
    """The longest pulse."""
    end_ms: Annotated[int, between(100, 2_000, "ms")] = 400
    """The time without a pulse after which the pulses are counted as one coin or note."""
    enable_wire: str = ""
    """Its colour."""


class Pins(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[pins]`: everything on the header and on its expanders. Any `wire` is for the tests of the service menu."""

    factory: Literal["lgpio", "simulated"] = "lgpio"
    """`"lgpio"` for the Pi's pins. `"simulated"` is for `cabinet demo`; `cabinet run` refuses it."""
    expanders: Annotated[dict[str, Expander], entries("expander", EXPANDERS)] = {}
    """MCP23017 chips on the header's I2C bus, by the address of each."""
    debounce_ms: Annotated[int, between(1, 50, "ms; longer bounces mean a worn contact")] = 8
    """How long a contact must be stable."""
    buttons: Annotated[dict[str, Button], entries("button", BUTTONS)]
    """The lit buttons."""
    doors: Annotated[dict[str, Door], entries("door", DOORS)]
    """The door switches, closed to ground while the door is shut."""
    keys: Annotated[dict[str, Input], entries("key switch", KEYS)]
    """The key switches; `attendant` is required."""
    tower: Annotated[dict[str, Tier], entries("tower-light tier", TIERS)]
    """The tiers of the tower light, two to four."""
    meters: Annotated[dict[str, Meter], entries("hard meter", METERS)]
    """The hard meters. One pulse is `meter_unit_cents`, or one game."""
    logic_latch: Latch | None = None
    """The latch that remembers without power that the logic door was open; it needs `doors.logic` and
    `keys.technician`.
    """
    meter_unit_cents: Annotated[int, between(1, 100_000, "cents")] = 10
    """The value of one pulse of a hard meter."""
    meter_batch: Annotated[int, between(1, 100, "pulses")] = 20
    """The most pulses of one meter that are recorded at once; a power cut makes them doubtful."""
    coin: Annotated[dict[str, Output], entries("coin gate", COIN_GATES)] = {}
    """The coin gates. Current on `lockout` lets coins in, current on `diverter` leads them to the hopper."""
    pulse: Annotated[dict[str, PulseAcceptor], entries("pulse acceptor", PULSE_ACCEPTORS)] = {}
    """[Acceptors that give pulses](#pulse-acceptors)."""


class CoinAcceptor(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A coin acceptor that speaks ccTalk, or an MDB coin changer."""

    port: Annotated[str, NOT_EMPTY]
    """A serial port by a lasting name: `/dev/cabinet/usb1` or `/dev/serial/by-path/…`, not `/dev/ttyUSB0`."""
    protocol: CoinProtocol = "cctalk"
    """`"cctalk"`, or [`"mdb"`](#mdb) for a coin changer."""
    address: Address = 2
    """Its address on ccTalk, or [`"scan"`](#cctalk)."""
    serial: Annotated[
        int, between(0, 0xFFFFFFFF, "a ccTalk serial number of 24 bits or an MDB one of 32, or 0 for any")
    ] = 0
    """Its serial number; `0` accepts any, and remembers it."""
    poll_ms: Annotated[int, between(20, 500, "ms; the device keeps five events only")] = 200
    """The polling interval."""
    coins_cents: tuple[Annotated[int, between(1, 20_000, "cents")], ...] = ()
    """The accepted coins; `[]` for all coins of the currency."""
    hopper_path: Annotated[int, between(0, 8, "a path of the coin acceptor's sorter, or 0 where it has none")] = 0
    """The path of its sorter to the hopper; `0` for no sorter."""
    cash_box_path: Annotated[int, between(1, 8, "a path of the coin acceptor's sorter")] = 1
    """The path of its sorter for all other coins."""


class BillValidator(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A bill validator that speaks ID-003, SSP, ccTalk, EBDS or, through a bridge, MDB."""

    port: Annotated[str, NOT_EMPTY]
    """As for the coin acceptor."""
    protocol: Annotated[str, one_of(validator_protocols())] = "id003"
    """`"id003"` (JCM), `"ssp"` (ITL), `"cctalk"`, [`"ebds"`](#ebds) (MEI, CPI), or [`"mdb"`](#mdb)."""
    address: Address = 40
    """Its address on ccTalk, or [`"scan"`](#cctalk)."""
    serial: Annotated[int, between(0, 0xFFFFFFFF, "a serial number of 32 bits, a ccTalk one of 24, or 0 for any")] = 0
    """Its serial number; `0` accepts any. It must be `0` for ID-003 and EBDS."""
    parity: Literal["none", "even"] = "even"
    """The parity of ID-003 and EBDS: `"even"`, on a pty `"none"`."""
    poll_ms: Annotated[int, between(50, 200, "ms; an ID-003 host polls every 100 to 200 ms, an SSP host every 200")] = (
        100
    )
    """The polling interval."""
    yoyo_notes: Annotated[int, between(0, 100, "notes; 0 switches the alarm off")] = 3
    """The notes pulled back within `alarm_window_s` that are an alarm (D8)."""
    rejected_notes: Annotated[int, between(0, 1_000, "notes; 0 switches the alarm off")] = 10
    """The notes rejected within `alarm_window_s` that are an alarm (D8)."""
    alarm_window_s: Annotated[int, between(10, 3_600, "s")] = 120
    """The window of both alarms."""
    encryption: SspEncryption = "auto"
    """[eSSP](#essp): `"auto"` if the device has it, always (`"on"`) or never (`"off"`)."""
    ssp_key: str = ""
    """The fixed part of the [eSSP](#essp) key, 16 hex digits; `""` for the maker's."""
    cctalk_key: str = ""
    """The six digits of [encrypted ccTalk](#cctalk); `""` for none."""


class Hopper(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A hopper that speaks ccTalk or eSSP, an SSP validator's note recycler, or the tubes of an MDB coin changer."""

    port: Annotated[str, NOT_EMPTY]
    """As for the coin acceptor. A recycler or tubes name their device's port."""
    coin_value_cents: Annotated[int, between(1, 20_000, "cents")]
    """The value of its coins; with `"ssp"` and `"mdb"` the step in which it pays."""
    protocol: HopperProtocol = "cctalk"
    """`"cctalk"`, [`"mdb"`](#mdb) for a changer's tubes, or [`"ssp"`](#essp) for a SMART Hopper or recycler."""
    address: Address = 3
    """Its address on ccTalk, or [`"scan"`](#cctalk)."""
    serial: Annotated[
        int, between(0, 0xFFFFFFFF, "a ccTalk serial number of 24 bits or another one of 32, or 0 for any")
    ] = 0
    """Its serial number; `0` accepts any, and remembers it."""
    security: HopperSecurity = "serial"
    """What it wants before a dispense: its `"serial"` number, `"zeros"` or `"cipher_unused"`
    ([devices.md](devices.md#hoppers-cctalk)).
    """
    pin: str = ""
    """Its PIN as eight hex digits; `""` if its PIN is off."""
    max_coins: Annotated[int, between(1, 255, "coins; a dispense counts in one byte")] = 250
    """The most coins of one dispense; with `"ssp"` the most times `coin_value_cents`."""
    poll_ms: Annotated[int, between(20, 500, "ms")] = 100
    """The polling interval."""
    float_coins: Annotated[int, between(0, 10_000, "coins; 0 keeps all that fit")] = 0
    """With `"ssp"`: how many times `coin_value_cents` it keeps for payouts; the rest goes to the cash box."""
    ssp_key: str = ""
    """The fixed part of the [eSSP](#essp) key, 16 hex digits; `""` for the maker's. A recycler has its validator's."""


class TicketPrinter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A ticket printer that speaks ESC/POS and reports what it has printed."""

    port: Annotated[str, NOT_EMPTY]
    """A serial port, the device file of a USB printer, or an address such as `"192.168.1.50:9100"`."""
    protocol: Literal["escpos"] = "escpos"
    """The language of the printer."""
    link: Literal["serial", "usb", "network"] = "serial"
    """How `port` reaches it: `"serial"`, `"usb"` (`/dev/cabinet/printer`) or `"network"`."""
    baud: Baud = 38_400
    """The rate of a serial line, 8N1."""
    profile: str = "default"
    """The model as python-escpos names it, for its code pages; a wrong name lists all."""
    dots: Annotated[int, between(360, 832, "dots; 360 hold a barcode of 18 digits")] = 576
    """The dots across the paper."""
    poll_ms: Annotated[int, between(100, 5_000, "ms")] = 500
    """The polling interval."""


class Wiring(msgspec.Struct, frozen=True, kw_only=True):
    """All wiring; decoding it from a whole `cabinet.toml` skips the tables that are not about wires."""

    pins: Pins
    coin_acceptor: CoinAcceptor | None = None
    bill_validator: BillValidator | None = None
    hopper: Hopper | None = None
    ticket_printer: TicketPrinter | None = None
