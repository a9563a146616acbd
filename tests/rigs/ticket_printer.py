"""A simulated ticket printer on a line in memory, and what a test sees of it."""

import asyncio
import csv
from pathlib import Path

import msgspec
from PIL import Image

from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.paper import Piece
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.memory_line import MemoryLine

_VECTORS = Path(__file__).parents[1] / "drivers" / "simulated" / "escpos" / "wire.tsv"

# Everything a test sends is there at once; tests of the line say otherwise.
AT_ONCE = Build(baud=0)


def escpos_vectors(kind: str) -> dict[str, bytes]:
    """The bytes of `tests/drivers/simulated/escpos/wire.tsv` by name: of each `command`, or of each `answer`."""
    with _VECTORS.open(encoding="utf-8") as lines:
        rows = [row for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if not row[0].startswith("#")]
    return {name: bytes.fromhex(data) for what, name, data, _meaning, _source in rows if what == kind}


COMMANDS, ANSWERS = escpos_vectors("command"), escpos_vectors("answer")
CUT = COMMANDS["feed_and_cut_full"]


class PrinterRig:
    """The device under mains, its line, and the pieces of paper that fell out of it."""

    def __init__(self, **build: object) -> None:
        self.pieces: list[Piece] = []
        made = msgspec.convert(msgspec.structs.asdict(AT_ONCE) | build, Build)
        self.printer = SimulatedPrinter(dropped=self.pieces.append, build=made)
        self.line = MemoryLine(self.printer)

    async def start(self) -> "PrinterRig":
        """Switch it on and wait until it is ready."""
        await self.line.port.open()
        self.printer.power(on=True)
        await self.wait(self.printer.build.start_s + 0.1)
        return self

    async def wait(self, seconds: float) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)

    async def send(self, *data: bytes) -> None:
        """Put bytes on the line; they have arrived when this returns, where the line has no speed."""
        await self.line.port.write(b"".join(data))
        await self.wait(0.001)

    async def heard(self) -> bytes:
        """Return what the printer has answered since the last time."""
        await self.wait(0.001)
        return await self.line.port.read(0)

    async def ask(self, *data: bytes) -> bytes:
        """Return what the printer answers at once."""
        await self.heard()
        await self.send(*data)
        return await self.heard()

    async def printed(self, *data: bytes) -> Piece:
        """Print a ticket and return it."""
        await self.send(b"\x1b@", *data, CUT)
        while not self.printer.idle:
            await self.wait(0.05)
        return self.pieces[-1]


async def printer_rig(**build: object) -> PrinterRig:
    """A printer that is ready; `build` changes what it is like."""
    return await PrinterRig(**build).start()


def ink(piece: Piece) -> tuple[int, int, int, int] | None:
    """Return left, top, right and bottom of what is printed on a piece of paper."""
    return Image.frombytes("1", (piece.width, piece.height), piece.rows).getbbox()


def row(piece: Piece, dots: int) -> str:
    """Return one row of a piece of paper, `#` where it is black, without the blank ends."""
    whole = piece.rows[dots * piece.width // 8 : (dots + 1) * piece.width // 8]
    return "".join("#" if byte >> bit & 1 else "." for byte in whole for bit in range(7, -1, -1)).strip(".")
