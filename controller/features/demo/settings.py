"""A demo's run directory and the `cabinet.toml` of its simulated cabinet.

RunDirectoryBusyError (RuntimeError)   another demo runs there
"""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import msgspec

from controller.configuration.cabinet_toml import SIMULATED
from controller.features.venue.relayed import SOCKET as VENUE_SOCKET
from controller.files.own_files import refuse_foreign, starting_with
from drivers.pin_names import I2C_PINS, ExpanderPin
from drivers.simulated.lines import CARD_LINK
from drivers.wiring import BUTTONS, KEYS, METERS, TIERS, USUAL_DOORS
from gamekit.catalogue import names

HOPPER_COIN_CENTS = 100
RECYCLED_CENTS = 500
_CHANGED_CENTS = 10
_EXPANDER = "x20"

_HEAD = "# A demo's configuration, written anew at each of its starts."
_DEMO = starting_with("demo's configuration", _HEAD.encode())

DEVICES = ("usual", "cctalk", "ebds", "essp", "recycler", "mdb")
"""The money devices to choose from.

ID-003 notes with a ccTalk hopper, ccTalk alone, EBDS notes, eSSP notes with a SMART Hopper or with a note recycler, or
an MDB coin changer and validator on one bridge.
"""


class VenueServer(msgspec.Struct, frozen=True):
    """The address of a venue's database."""

    host: str
    port: int


class RunDirectoryBusyError(RuntimeError):
    """Another demo runs in this directory."""


class RunDirectory(msgspec.Struct, frozen=True):
    """The directory of a demo's sockets, journal, devices' memory and logs."""

    path: Path

    @classmethod
    def made(cls, path: Path | None) -> "RunDirectory":
        """Return the directory at `path`, created if missing, or a new one with a short name under /tmp.

        A directory that is used again continues with its journal and devices.
        """
        if path is None:
            # short: the path of every socket must fit into 107 bytes
            return cls(Path(tempfile.mkdtemp(prefix="cabinet-", dir="/tmp")))
        path.mkdir(parents=True, exist_ok=True)
        return cls(path.resolve())

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Keep other demos out of the directory; raise `RunDirectoryBusyError` if one runs in it."""
        lock = os.open(self.path / "demo.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunDirectoryBusyError(
                f"another demo runs in {self.path}: end it, or name another directory with --run"
            ) from None
        else:
            yield
        finally:
            os.close(lock)

    @property
    def configuration(self) -> Path:
        """The demo's `cabinet.toml`."""
        return self.path / "cabinet.toml"

    @property
    def journal(self) -> Path:
        """The journal, marked as simulated."""
        return self.path / "journal.sqlite"

    @property
    def devices(self) -> Path:
        """The stored state of the simulated devices without power: meters, hopper, stacker."""
        return self.path / "devices.json"

    @property
    def language(self) -> Path:
        """The display's language, in which its next start says that the machine starts."""
        return self.path / "language"

    @property
    def hardware_socket(self) -> Path:
        """The socket of the simulated hardware's front."""
        return self.path / "hardware.sock"

    @property
    def display_socket(self) -> Path:
        """The socket on which the supervisor serves its display."""
        return self.path / "display.sock"

    @property
    def touch_socket(self) -> Path:
        """The socket for touches on the display."""
        return self.path / "touch.sock"

    @property
    def bench_address(self) -> Path:
        """The address of the bench's page, with its token, once it is served."""
        return self.path / "bench.url"

    @property
    def boot(self) -> Path:
        """The boot id of the simulated computer, in place of the kernel's."""
        return self.path / "boot_id"

    @property
    def venue_socket(self) -> Path:
        """The socket on which the supervisor serves the link to its venue."""
        return self.path / VENUE_SOCKET

    @property
    def credentials(self) -> Path:
        """The folder for the credentials that a venue gave this cabinet at enrolment."""
        return self.path / "venue-link"

    @property
    def frame_mirror(self) -> Path:
        """The picture of the display."""
        return self.path / "glass"

    @property
    def sticks(self) -> Path:
        """The simulated USB sticks: each folder in here is one."""
        return self.path / "sticks"

    def log(self, process: str) -> Path:
        """The log file of `process`."""
        return self.path / f"{process}.log"

    def write_configuration(
        self,
        baked: Path,
        games: Sequence[str] = (),
        *,
        name: str = "Demo",
        venue: VenueServer | None = None,
        devices: str = DEVICES[0],
        tickets: bool = False,
    ) -> Path:
        """Write this demo's `cabinet.toml` with these games on offer, the first as the default; return its path.

        `devices` is one of `DEVICES`; with `tickets` a printer pays, and the validator takes them. Raises
        `NotOursError` if a cabinet's own file is there.
        """
        refuse_foreign(self.configuration, _DEMO)
        linked = [] if venue is None else ["[venue]", f"host = {_text(venue.host)}", f"port = {venue.port}"]
        port = _text(self.path / "tty-printer")
        printer = ["[ticket_printer]", f"port = {port}", "[tickets]", 'pays = "all"', "takes = true"] if tickets else []
        lines = [*_lines(self, baked, games or names()[:1], name), *_payers(self, devices), *printer, *linked]
        self.configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return self.configuration


def _lines(run: RunDirectory, baked: Path, games: Sequence[str], name: str) -> list[str]:
    """Return the lines of a `cabinet.toml` with everything fitted.

    Lamps and meter senses are on an expander, the rest is on the header.
    """
    pin = (number for number in range(28) if number not in I2C_PINS)
    lamp, sense = (count(8), count())
    lines = [
        _HEAD,
        "[cabinet]",
        f"name = {_text(name)}",
        f"run_dir = {_text(run.path)}",
        f"journal = {_text(run.journal)}",
        "[games]",
        f"enabled = {json.dumps(list(games))}",
        f"default = {json.dumps(games[0])}",
        "[limits]",
        "hopper_cents = 10_000",
        "[service]",
        "attendant_key_alone = true",
        "[cards]",
        'reader = "wedge"',
        f"device = {_text(run.path / CARD_LINK)}",
        'mode = "instead"',
        "[display]",
        f"baked = {_text(baked.resolve())}",
        "[export]",
        f"roots = [{_text(run.sticks)}]",
        "[pins]",
        f'factory = "{SIMULATED}"',
        "[pins.expanders]",
        f"{_EXPANDER} = {{ interrupt = {next(pin)}, reset = {next(pin)} }}",
        "[pins.buttons]",
        *(f"{name} = {{ pin = {next(pin)}, lamp = {_on_expander(next(lamp))} }}" for name in BUTTONS),
        "[pins.logic_latch]",
        f"pin = {next(pin)}",
        f"reset = {next(pin)}",
    ]
    for table, entries in (("doors", USUAL_DOORS), ("keys", KEYS), ("tower", TIERS)):
        lines += [f"[pins.{table}]", *(f"{name} = {{ pin = {next(pin)} }}" for name in entries)]
    lines += [
        "[pins.meters]",
        *(f"{name} = {{ pin = {next(pin)}, sense = {_on_expander(next(sense))} }}" for name in METERS),
        "[coin_acceptor]",
        f"port = {_text(run.path / 'tty-coin')}",
    ]
    return lines


def _payers(run: RunDirectory, devices: str) -> list[str]:
    """Return the lines of a `cabinet.toml` after the coin acceptor's port: its protocol, the validator, the payout."""
    if devices == "mdb":
        bridge = [f"port = {_text(run.path / 'tty-coin')}", 'protocol = "mdb"']
        payer = [*bridge, f"coin_value_cents = {_CHANGED_CENTS}"]
        return ['protocol = "mdb"', "[bill_validator]", *bridge, 'parity = "none"', "[hopper]", *payer]
    notes = {"usual": "id003", "essp": "ssp", "recycler": "ssp"}.get(devices, devices)
    recycles = devices == "recycler"
    return [
        "[bill_validator]",
        f"port = {_text(run.path / 'tty-bill')}",
        f'protocol = "{notes}"',
        'parity = "none"',
        "[hopper]",
        f"port = {_text(run.path / ('tty-bill' if recycles else 'tty-hopper'))}",
        f'protocol = "{"ssp" if notes == "ssp" else "cctalk"}"',
        f"coin_value_cents = {RECYCLED_CENTS if recycles else HOPPER_COIN_CENTS}",
    ]


def _on_expander(bit: int) -> str:
    return json.dumps(str(ExpanderPin(_EXPANDER, bit)))


def _text(value: Path | str) -> str:
    # JSON's escapes are valid TOML, and nothing else of a TOML writer is needed.
    return json.dumps(str(value), ensure_ascii=False)
