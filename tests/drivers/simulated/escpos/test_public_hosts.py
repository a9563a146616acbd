"""The ESC/POS printer under what public hosts send, in their order (`hosts_escpos.tsv`)."""

import pytest

from tests.rigs.public_hosts import hosts, play, steps
from tests.rigs.ticket_printer import PrinterRig, printer_rig

VECTORS = "hosts_escpos.tsv"


class PrinterPeer:
    """A printer that is ready, and what is on the paper that fell out of it."""

    def __init__(self, rig: PrinterRig) -> None:
        self.rig = rig

    async def ask(self, said: str) -> str:
        """Send bytes; return what is answered."""
        return (await self.rig.ask(bytes.fromhex(said))).hex(" ").upper()

    def hand(self, act: str, what: str) -> None:
        """Begin or end a fault."""
        self.rig.printer.set_fault(act, what == "1")

    def fact(self, name: str) -> str:
        """What was printed, cut off, and given to the drawer."""
        pieces = self.rig.pieces
        facts = {
            "texts": [text for piece in pieces for text in piece.texts if text],
            "codes": [f"{kind} {data}" for piece in pieces for kind, data in piece.codes],
            "cuts": [str(piece.cut) for piece in pieces],
            "pulses": [str(self.rig.printer.drawer_pulses)],
        }
        return "|".join(facts[name])


@pytest.mark.parametrize(("host", "device"), hosts(VECTORS))
async def test_a_public_host(host: str, device: str) -> None:
    """Each question has the answer of Epson's reference, and what the host printed is on the paper."""
    await play(steps(VECTORS, host, device), PrinterPeer(await printer_rig()))
