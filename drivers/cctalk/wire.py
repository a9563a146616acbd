"""A ccTalk line that several drivers share: all devices are on one wire."""

from drivers.cctalk.framing import Framing
from drivers.cctalk.protocol import Frame
from drivers.port import Port
from drivers.shared_line import LineTap, SharedLine


class Wire(SharedLine):
    """State that all drivers of one line share.

    `echo` says whether the line echoes what is sent, None while that is unknown. `late` are the addresses of which a
    reply is missing and may still arrive, and `unanswered` the newest request of each that had none. `fresh` is true
    for a line just opened, on which a reply to its previous user may still arrive. `stray_at` is when an unexpected
    byte last arrived. `framings` are the detected framings by address, `heard_at` the time when a device last answered
    or other framings were last tried, and `unnamed` the addresses that were asked in a framing whose replies do not
    name their sender. `moving` are the taps whose devices may be moving money. `found` is the address and serial number
    of each device found by a scan, by its table in cabinet.toml.
    """

    def __init__(self, port: Port) -> None:
        super().__init__(port)
        self.echo: bool | None = None
        self.late: set[int] = set()
        self.unanswered: dict[int, Frame] = {}
        self.fresh = False
        self.stray_at = float("-inf")
        self.framings: dict[int, Framing] = {}
        self.heard_at: dict[int, float] = {}
        self.unnamed: set[int] = set()
        self.moving: set[LineTap] = set()
        self.found: dict[str, tuple[int, int]] = {}

    def tap(self) -> "Tap":
        """Return one driver's share of the line."""
        self._taps += 1
        return Tap(self)

    def begin(self) -> None:
        """Reset what is known about echo and late replies; called before the port is opened."""
        self.echo = None
        self.late.clear()
        self.unanswered.clear()
        self.fresh = True

    def leave(self, tap: LineTap) -> None:
        """Drop one driver's tap; the port is closed after the last one."""
        self.moving.discard(tap)
        super().leave(tap)

    def _lose(self) -> None:
        self.moving.clear()
        super()._lose()


class Tap(LineTap):
    """One driver's share of a `Wire`."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire)
        self.wire = wire
