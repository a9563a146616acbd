"""The ID-003 validator under what public hosts send, in their order (`hosts_id003.tsv`)."""

import pytest
from crccheck.crc import CrcKermit

from tests.rigs.id003_host import Id003Host
from tests.rigs.public_hosts import hosts, play, steps

VECTORS = "hosts_id003.tsv"


class Id003Peer:
    """A validator with power, and what a hand and a cash box do and see; every answer's frame is checked."""

    def __init__(self) -> None:
        self.host = Id003Host()

    async def ask(self, said: str) -> str:
        """Send a frame; return code and data of the answer."""
        heard = await self.host.send(bytes.fromhex(said))
        if heard:
            assert (heard[0], heard[1]) == (0xFC, len(heard))
            assert CrcKermit.calc(heard[:-2]).to_bytes(2, "little") == heard[-2:]
        return heard[2:-2].hex(" ").upper()

    def hand(self, act: str, what: str) -> None:
        """Put a note or a ticket in."""
        if act == "ticket":
            self.host.device.insert_ticket(what)
        else:
            assert act == "note"
            self.host.device.insert(int(what))

    def fact(self, name: str) -> str:
        """How much money is where, in cents, or which tickets are in the cash box."""
        if name == "tickets":
            return " ".join(paper for paper in self.host.stacked if isinstance(paper, str))
        papers = {"stacked": self.host.stacked, "returned": self.host.returned}[name]
        return str(sum(paper for paper in papers if isinstance(paper, int)))


QUESTIONS = ("11", "80", "81", "82", "83", "84", "85", "86", "87", "88", "89", "8A")
SETTINGS = ("C0 00 00", "C1 00 00", "C2 00", "C3 00", "C4 00", "C5 00 00", "C6 01 12", "C7 00")


async def test_every_command_is_known() -> None:
    """A question is answered with its own code, a setting is said again, an order about escrow has its ACK."""
    host = await Id003Host().open()
    for question in QUESTIONS:
        assert (await host.ask(question))[:2] == question
    for setting in SETTINGS:
        assert await host.ask(setting) == setting
    for order in ("44", "45", "43", "42", "41"):
        await host.until("11")
        assert (await host.put_in(500))[:2] == "13"
        assert await host.ask(order) == "50"
        if order in {"44", "45"}:
            assert await host.ask("43") == "50"
        if order in {"41", "42"}:
            await host.until("15")
            assert await host.ask("50") == ""


@pytest.mark.parametrize(("host", "device"), hosts(VECTORS))
async def test_a_public_host(host: str, device: str) -> None:
    """Each request has the answer that the protocol gives it, and the money is where the host believes it."""
    peer = Id003Peer()
    peer.host.device.power(on=True)
    await peer.host.line.port.open()
    await play(steps(VECTORS, host, device), peer)
