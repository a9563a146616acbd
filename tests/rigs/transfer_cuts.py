"""Transfers that are cut off at any byte, step or turn, and the host that finds out afterwards what became of them.

Exactly once: what the host's books say was moved is what the machine's credit, meters and history say, whatever byte
of the request, the answer or the question afterwards was the last one on the line.
"""

import asyncio
from pathlib import Path
from typing import Self

from tests.rigs.hosted import ASSET, HostsRig
from tests.rigs.power_cuts import Power
from tests.rigs.sas_aft import (
    CLOSE,
    FULL_ONLY,
    IN_HOUSE_TO_HOST,
    IN_HOUSE_TO_MACHINE,
    NO_KEY,
    NO_POOL,
    PARTIAL_ALLOWED,
    AftHost,
    NoAnswerError,
)
from tests.rigs.sas_fields import FrameError
from tests.rigs.sas_frames import request
from tests.rigs.sas_host import SasHost
from tests.rigs.sas_tally import Aft

CENTS = 500
CREDIT = 2000


class CutTransfers:
    """A machine with credit and its host; an asynchronous context manager. `cuts` counts the cuts."""

    def __init__(self, folder: Path) -> None:
        self.power = Power()
        self.rig = HostsRig(folder, self.power)
        self.cuts = 0
        self.done = 0
        self._number = 0

    async def __aenter__(self) -> Self:
        await self.rig.start()
        self.host = SasHost(self.rig.joined.link, now=asyncio.get_running_loop().time)
        self.aft = AftHost(self.host, asset=ASSET)
        await self.rig.game(CREDIT)
        await self.host.collect()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.power.comes_back()
        await self.rig.journal.do(lambda tx: tx.audit())
        await self.rig.kill()

    def next_start(self, kind: int, *, partial: bool = False) -> dict[str, object]:
        """The values of the next transfer's request."""
        self._number += 1
        return {
            "code": PARTIAL_ALLOWED if partial else FULL_ONLY,
            "index": 0,
            "type": kind,
            "cashable": CENTS,
            "restricted": 0,
            "nonrestricted": 0,
            "flags": 0,
            "asset": ASSET,
            "key": NO_KEY,
            "id": f"T{self._number}",
            "expiration": 0,
            "pool": NO_POOL,
            "receipt": b"",
        }

    @staticmethod
    def size(start: dict[str, object]) -> int:
        """Bytes of such a request on the line."""
        return len(request(1, 0x72, **start))

    def kind(self) -> int:
        """In and out by turns, as the credit goes."""
        return IN_HOUSE_TO_MACHINE if self.rig.credit < CREDIT else IN_HOUSE_TO_HOST

    async def ask(self, **values: object) -> None:
        """Send the start, and whatever comes, or does not come, is only what the host's books learn of it."""
        name, kind = values["id"], values["type"]
        assert isinstance(name, str)
        assert isinstance(kind, int)
        self.host.tally.asked(name, kind, CENTS)
        try:
            answer = await self.host.ask(0x72, **values)
        except FrameError:
            return
        if answer is not None and answer.get("id") == name and answer["status"] in (Aft.FULL, Aft.PARTIAL):
            self.host.tally.ended(answer)

    async def cut(self) -> None:
        """The power goes, and comes back."""
        self.cuts += 1
        self.power.is_off = True
        line = self.rig.joined
        self.host.cut()
        await self.rig.revive()
        line.most = line.spoken = None

    async def settled(self, **values: object) -> None:
        """The host finds out, asks for the same transfer once more as a host without a memory would, and compares."""
        name, kind = str(values["id"]), values["type"]
        assert isinstance(kind, int)
        await self.aft.recover()
        moved = self.host.tally.transfers[name].done
        again = await self.host.ask(0x72, **values)
        assert again is not None
        if moved:
            assert again["status"] == Aft.NOT_UNIQUE, f"a transfer that was done is answered {again}"
        else:
            self.host.tally.transfers[name].status = None
            assert (await self.aft.finish())["status"] in (Aft.FULL, Aft.PARTIAL)
        await self.aft.interrogate(CLOSE)
        self.done += 1
        await self.compare()

    async def compare(self) -> None:
        """The host's books, the credit, the meters and the rows of the history say the same."""
        tally, rig = self.host.tally, self.rig
        balance = tally.to_machine_cents - tally.to_host_cents
        assert rig.credit == CREDIT + balance, f"credit {rig.credit}, the host has moved {balance}"
        assert await rig.meter("host_in") == tally.to_machine_cents
        assert await rig.meter("host_out") == tally.to_host_cents
        moved = await rig.rows("SELECT count(*), count(DISTINCT transaction_id), sum(cents) FROM host_transfers")
        count = sum(one.done for one in tally.transfers.values())
        assert moved == [(count, count, tally.to_machine_cents + tally.to_host_cents)] or count > 127
        await rig.journal.do(lambda tx: tx.prove())


async def cut_within_the_request(cabinet: CutTransfers, sizes: range) -> None:
    """So many bytes of the request arrive, and the power goes."""
    for size in sizes:
        start = cabinet.next_start(cabinet.kind(), partial=size % 2 == 0)
        await cabinet.host.confirm()
        cabinet.rig.joined.most = size
        await cabinet.ask(**start)
        await cabinet.cut()
        await cabinet.settled(**start)


async def cut_within_the_answer(cabinet: CutTransfers, sizes: range, *, power: bool) -> None:
    """So many bytes of the answer arrive; then the power goes, or only the line was bad."""
    for size in sizes:
        start = cabinet.next_start(cabinet.kind(), partial=size % 2 == 0)
        await cabinet.host.confirm()
        cabinet.rig.joined.spoken = size
        await cabinet.ask(**start)
        cabinet.rig.joined.spoken = None
        if power:
            await cabinet.cut()
        await cabinet.settled(**start)


async def spoilt_within_the_request(cabinet: CutTransfers, sizes: range) -> None:
    """A byte of the request is another one: nothing is answered, nothing moves, and the host asks again.

    As its second byte any other makes another poll, which may be one of two bytes and then is answered.
    """
    for place in sizes:
        start = cabinet.next_start(cabinet.kind())
        frame = bytearray(request(1, 0x72, **start))
        frame[place] ^= 0x41
        await cabinet.host.confirm()
        credit = cabinet.rig.credit
        done = await cabinet.host.exchange(bytes(frame), 0x72)
        assert not done.heard or place == 1, f"byte {place} spoilt: {done}"
        assert cabinet.rig.credit == credit, f"byte {place} spoilt: {done}"
        cabinet.host.tally.asked(str(start["id"]), cabinet.kind(), CENTS)
        await cabinet.settled(**start)


async def cut_at_each_step(cabinet: CutTransfers) -> int:
    """The power goes before or after each step of the journal, of the start and of the questions after it."""
    for step in range(1, 100):
        start = cabinet.next_start(cabinet.kind())
        cabinet.power.comes_back(step)
        await cabinet.ask(**start)
        if not cabinet.power.is_off:
            try:
                await cabinet.aft.finish()
            except NoAnswerError:
                assert cabinet.power.is_off
        was_cut = cabinet.power.is_off
        await cabinet.cut()
        await cabinet.settled(**start)
        if not was_cut:
            return step
    raise AssertionError("the transfer does not end")


async def cut_at_each_turn(cabinet: CutTransfers, turns: range) -> None:
    """The program is killed so many turns of its loop after the request: at each of its awaits."""
    for turn in turns:
        start = cabinet.next_start(cabinet.kind())
        await cabinet.host.confirm()
        asking = asyncio.create_task(cabinet.ask(**start))
        for _ in range(turn):
            await asyncio.sleep(0)
        cabinet.rig.joined.close()
        await cabinet.rig.kill()
        await asking
        cabinet.cuts += 1
        cabinet.host.cut()
        await cabinet.rig.start(until=None)
        await cabinet.rig.until_true(cabinet.rig.machine.states.up.is_set)
        await cabinet.rig.until_true(lambda: cabinet.rig.shown in ("idle", "attract"))
        await cabinet.settled(**start)
