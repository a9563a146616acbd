"""A ccTalk line that several drivers share: the devices hang on one wire."""

from drivers.cctalk.framing import Framing
from drivers.port import Port
from drivers.shared_line import LineTap, SharedLine


class Wire(SharedLine):
    """What all users of one line have in common.

    `echo` says whether the line returns what is sent, None while nobody knows. `late` are the addresses whose last
    answer did not come, and may yet; `fresh` is a line just opened, on which the answer to whoever used it before may
    still be under way. `stray_at` is when something last came that nobody had asked for. `framings` are the ways in
    which devices were found to have their frames, by address, `heard_at` when one was last heard or looked for in other
    ways, and `unnamed` the addresses that were asked in a way in which the answer does not name its sender.
    `moving` are the users by whose devices money may be on its way. `found` is where a scan found whose device, and
    that device's serial number, by its table in cabinet.toml.
    """

    def __init__(self, port: Port) -> None:
        super().__init__(port)
        self.echo: bool | None = None
        self.late: set[int] = set()
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
        """The port is about to be opened: what was known of its echo and its late answers is no more."""
        self.echo = None
        self.late.clear()
        self.fresh = True

    def leave(self, tap: LineTap) -> None:
        """Close the port after its last user; the others' line stays as it is."""
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
