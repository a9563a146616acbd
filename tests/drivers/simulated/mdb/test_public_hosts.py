"""The MDB devices under what public hosts send, by a bridge or on the bus itself, in their order (`hosts_mdb.tsv`)."""

import asyncio
from collections.abc import Callable

import pytest

from drivers.simulated.mdb.bill_validator import BillHabits, SimulatedMdbBills
from drivers.simulated.mdb.coin_changer import SimulatedChanger
from tests.rigs.mdb_host import SILENCE, MdbHost
from tests.rigs.public_hosts import hosts, play, steps
from tests.rigs.vectors import vectors

VECTORS = "hosts_mdb.tsv"
EACH_S = 0.05
ACK = b"\x00"


class MdbPeer:
    """A changer with some coins and a validator, behind a bridge or with the bus open."""

    def __init__(self, name: str) -> None:
        self.on_the_bus = name.startswith("bus")
        self.sums = dict.fromkeys(("paid", "boxed", "stacked", "returned"), 0)
        self.changer = SimulatedChanger(
            stock={10: 5, 20: 5, 50: 5, 100: 5}, coin_out=self._into("paid"), boxed=self._into("boxed")
        )
        self.bills = SimulatedMdbBills(
            stacked=self._into("stacked"),
            returned=self._into("returned"),
            habits=BillHabits(level=2 if name == "bus_level2" else 1),
        )
        self.host = MdbHost(self.changer, self.bills)

    def _into(self, name: str) -> Callable[[object], None]:
        def add(money: object) -> None:
            self.sums[name] += money if isinstance(money, int) else 0

        return add

    async def ask(self, said: str) -> str:
        """Send a line, or a block whose answer's checksum is checked and acknowledged."""
        await asyncio.sleep(EACH_S)
        if not self.on_the_bus:
            heard = await self.host.say(said)
            return "" if heard == SILENCE else heard
        block = bytes.fromhex(said)
        asked = self.changer if block[0] & 0xF8 == 0x08 else self.bills
        answer = asked.hear(block)
        if answer is None or answer == ACK:
            return "" if answer is None else "00"
        assert sum(answer[:-1]) & 0xFF == answer[-1]
        asked.confirm()
        return answer[:-1].hex(" ").upper()

    def hand(self, act: str, what: str) -> None:
        """Put a coin or a note in."""
        assert act in {"coin", "note"}
        (self.changer if act == "coin" else self.bills).insert(int(what))

    def fact(self, name: str) -> str:
        """How much money went where, in cents."""
        return str(self.sums[name])


CHANGER = {"08", "09", "0A", "0B", "0C", "0D", *(f"0F 0{number}" for number in range(8))}
VALIDATOR = {"30", "31", "32", "33", "34", "35", "36", "37 00", "37 01", "37 02"}


def test_every_command_of_both_classes_is_among_them() -> None:
    """Those of sections 5.2 and 6.2, but for validators that pay notes out."""
    blocks = [row[3] for row in vectors(VECTORS) if row[1].startswith("bus") and row[2] in {"ask", "until"}]
    assert {block[:5] if block[1] in "F7" else block[:2] for block in blocks} == CHANGER | VALIDATOR


@pytest.mark.parametrize(("host", "device"), hosts(VECTORS))
async def test_a_public_host(host: str, device: str) -> None:
    """Each request has the answer that the specification gives it, and the money is where the host believes it."""
    peer = MdbPeer(device)
    peer.host.bridge.power(on=True)
    await peer.host.line.port.open()
    await play(steps(VECTORS, host, device), peer)
