"""The ccTalk devices under what public hosts send, in their order (`hosts_cctalk.tsv`)."""

from collections.abc import Callable
from typing import ClassVar

import pytest
from crccheck.crc import CrcXmodem

from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.device import CctalkDevice
from drivers.simulated.cctalk.frames import Framing
from drivers.simulated.cctalk.hopper import SimulatedHopper
from tests.rigs.cctalk_host import Host
from tests.rigs.public_hosts import hosts, play, steps

VECTORS = "hosts_cctalk.tsv"
EVERYBODY = 0
ADDRESS_POLL_S = 1.1


class CctalkPeer:
    """A ccTalk device with a host whose name is 1; every answer's frame is checked."""

    def __init__(self, name: str) -> None:
        self.kind, _, what = name.partition("_")
        self.sums = dict.fromkeys(("credited", "returned", "stacked", "paid"), 0)
        self.device = self.make[self.kind](self)
        if what == "crc16":
            self.device.framing = Framing.CRC16
        if what == "cipher" and isinstance(self.device, SimulatedHopper):
            self.device.asks_for_cipher = True
        self.host = Host(self.device)

    def _into(self, name: str) -> Callable[[object], None]:
        def add(money: object) -> None:
            self.sums[name] += money if isinstance(money, int) else 0

        return add

    def _coins(self) -> CctalkDevice:
        return SimulatedCoinAcceptor(accepted=self._into("credited"), returned=self._into("returned"))

    def _bills(self) -> CctalkDevice:
        return SimulatedCctalkBills(stacked=self._into("stacked"), returned=self._into("returned"))

    def _hopper(self) -> CctalkDevice:
        return SimulatedHopper(coin_out=self._into("paid"))

    make: ClassVar[dict[str, Callable[["CctalkPeer"], CctalkDevice]]] = {
        "coin": _coins,
        "bill": _bills,
        "hopper": _hopper,
    }

    async def ask(self, said: str) -> str:
        """Send a frame; return header and data of the answer, of an address poll the bare address."""
        everybody = said.startswith("00")
        heard = bytes.fromhex(await self.host.ask(said, wait_s=ADDRESS_POLL_S if everybody else 0.06))
        if everybody or not heard:
            return heard.hex(" ").upper()
        assert (heard[0], len(heard)) == (1, heard[1] + 5)
        if self.device.framing is Framing.CRC16:
            assert CrcXmodem.calc(heard[:2] + heard[3:-1]) == heard[2] | heard[-1] << 8
        else:
            assert (heard[2], sum(heard) % 256) == (self.device.address, 0)
        return heard[3:-1].hex(" ").upper()

    def hand(self, act: str, what: str) -> None:
        """Put a coin or a note in."""
        assert act in {"coin", "note"}
        self.device.insert(int(what))  # type: ignore[attr-defined]

    def fact(self, name: str) -> str:
        """How much money went where, in cents."""
        return str(self.sums[name])


@pytest.mark.parametrize(("host", "device"), hosts(VECTORS))
async def test_a_public_host(host: str, device: str) -> None:
    """Each request has the answer that the specification gives it, and the money is where the host believes it."""
    peer = CctalkPeer(device)
    await peer.host.open()
    await play(steps(VECTORS, host, device), peer)


@pytest.mark.parametrize("ends", ["02 01 01 87 00 75", "02 00 01 01 FC"])
async def test_an_accept_limit_ends_with_a_limit_of_none_and_with_a_reset(ends: str) -> None:
    """One coin and no more; then coins without a limit again (part 2, 135; Modular X6, page 79)."""
    peer = CctalkPeer("coin")
    await peer.host.open()
    take_all = "02 02 01 E7 FF FF 16"
    for request in (take_all, "02 01 01 87 01 74"):
        assert await peer.ask(request) == "00"
    for cents, taken in ((100, 100), (50, 100)):
        peer.hand("coin", str(cents))
        assert peer.sums["credited"] == taken
    for request in (ends, take_all):
        assert await peer.ask(request) == "00"
    for _coin in range(3):
        peer.hand("coin", "50")
    assert peer.sums["credited"] == 250
