"""The build of a printer: its paper, speeds, line and name. The defaults describe a kiosk printer of 80 mm."""

from typing import Literal

import msgspec

from drivers.simulated.escpos.paper import DOTS_PER_MM

Handshake = Literal["hardware", "xon_xoff", "none"]


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds, lengths in millimetres or dots, sizes in bytes.

    `cutter_gap` is the paper between head and cutter: a cut leaves behind the last lines that were not fed past it. A
    `baud` of 0 is a line without a baud rate (USB, a network). `busy_offline` is the DIP switch that also makes the
    line busy while the printer is offline. Epson's printers stop the host when `stop_below` bytes of the receive buffer
    are free and let it resume at `go_above`.
    """

    width: int = 576
    speed_mm_s: float = 200.0
    cut_s: float = 0.3
    start_s: float = 1.0
    roll_mm: int = 80_000
    near_end_mm: int = 3_000
    cutter_gap: int = 96
    feed_mm_s: float = 50.0
    baud: int = 38_400
    handshake: Handshake = "hardware"
    busy_offline: bool = False
    buffer_bytes: int = 4096
    stop_below: int = 16
    go_above: int = 26
    model_id: int = 0x20
    type_id: int = 0x02
    version_id: int = 0x01
    firmware: str = "1.00 SIM"
    maker: str = "SIMULATED"
    model: str = "TICKET-80"
    serial: str = "SIM0000001"

    @property
    def dots_s(self) -> float:
        """Dots that the paper moves in a second of printing."""
        return self.speed_mm_s * DOTS_PER_MM
