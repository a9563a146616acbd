"""The messages on `hardware.sock`: acts on the cabinet's front, and what the front shows.

SOCK_SEQPACKET, one JSON message a packet. A client may send `Do`s and `AskFaults`; it receives a `Front` when it
connects and after every change. Each `Do` is answered by a `Done` that carries its `id`.
"""

from collections.abc import Callable
from typing import Annotated

import msgspec

from drivers.simulated.packets import decoder

NOTES_CENTS = (500, 1000, 2000, 5000)
COINS_CENTS = (10, 20, 50, 100, 200)
TICKETS_FOLDER = "tickets"
"""The folder with the pictures of printed tickets, in the run directory."""


class Do(msgspec.Struct, frozen=True, tag="do"):
    """One act in words.

    `note 20`, `ticket 001234567890123456`, `coin 0.50`, `card 0012345678`, `press spin`, `release spin`, `key attendant
    on`, `door main open`, `mains off`, `crash`, `fault bill drop 3`, `chance bill jam_in_stacker 5` (the devices'
    misbehaviour); `drivers.simulated.acts` defines all of them.
    """

    id: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
    what: str


class AskFaults(msgspec.Struct, frozen=True, tag="ask_faults"):
    """A question for the faults that `fault DEVICE WHAT` can begin here; `Faults` is the answer."""


class Faults(msgspec.Struct, frozen=True, tag="faults"):
    """The names of the possible faults by device."""

    devices: dict[str, tuple[str, ...]]


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The answer to a `Do`; `error` says why it could not be done."""

    id: int
    error: str = ""


class TrayTicket(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of paper in the ticket tray.

    `codes` are its complete barcodes as symbology and data, `picture` is the PNG file that shows it; a JSON file of the
    same name beside it lists everything printed on it. `complete` says whether it is a whole ticket.
    """

    number: int
    complete: bool
    codes: tuple[tuple[str, str], ...]
    picture: str


class Front(msgspec.Struct, frozen=True, kw_only=True, tag="front"):
    """What a person in front of the cabinet sees and hears of its hardware.

    `lamps` and `tower` are lit now; `meters` the hard meters' figures; `tray_cents` the coins in the hopper's tray
    (`tray_coins` pieces), `recycles` whether a note recycler pays, which is filled through its note slot only;
    `coin_return`/`bill_return` what lies in the returns, in cents; `returned_tickets` the tickets in the mouth of the
    note slot; `escrow_cents` and `escrow_ticket` a note or a ticket held in escrow; `stacked_cents` the notes,
    `stacked_tickets` how many tickets and `cash_box_cents` the coins in the cash box; `printer` is the ticket printer's
    state in words, empty where there is none, `printer_paper_mm` what is left on its roll and `tickets` the newest in
    its tray, oldest first. `crashes` counts presses of the crash button. `latched` says whether the logic door's latch
    remembers an opening, which only a technician behind that door sees. `money` is where the money physically lies
    since the devices' process began, in cents, by device and by `whereabouts.Spot`, independent of what a device counts
    or reports.
    """

    mains: bool
    crashes: int = 0
    lamps: dict[str, bool]
    tower: dict[str, bool]
    meters: dict[str, int]
    doors: dict[str, bool]
    keys: dict[str, bool]
    buttons: dict[str, bool]
    tray_cents: int = 0
    tray_coins: int = 0
    hopper_coins: int = 0
    recycles: bool = False
    coin_return_cents: int = 0
    bill_return_cents: int = 0
    bill_slot: str = ""
    escrow_cents: int = 0
    escrow_ticket: str = ""
    returned_tickets: tuple[str, ...] = ()
    stacked_cents: int = 0
    stacked_tickets: int = 0
    cash_box_cents: int = 0
    latched: bool = False
    printer: str = ""
    printer_paper_mm: int = 0
    tickets: tuple[TrayTicket, ...] = ()
    money: dict[str, dict[str, int]] = {}


ToFront = Do | AskFaults
FromFront = Done | Faults | Front
decode_to_front: Callable[[bytes], ToFront] = decoder(ToFront)
decode_from_front: Callable[[bytes], FromFront] = decoder(FromFront)
encode = msgspec.json.encode
