"""The host's side of cashless transfers: started, interrogated, closed, and booked once (sas.md section 1)."""

from tests.rigs.sas_fields import Values
from tests.rigs.sas_host import SasHost
from tests.rigs.sas_tally import Aft, Transfer

AFT = 0x72
REGISTER = 0x73
LOCK = 0x74
NO_KEY = bytes(20)
NO_POOL = bytes(2)
IN_HOUSE_TO_MACHINE = 0x00
IN_HOUSE_TO_HOST = 0x80
FULL_ONLY, PARTIAL_ALLOWED, CANCEL, INTERROGATE, CLOSE = 0x00, 0x01, 0x80, 0xFE, 0xFF
STATUS = 0xFF
EVERYTHING_CENTS = 9_999_999_999
"""The amount that asks for all there is (section 1.1)."""

PENDING_TOP, TOP = 0x40, 0xC0
PATIENCE = 100


class NoAnswerError(Exception):
    """The machine said nothing: whether money moved is not known until it is asked again."""


class AftHost:
    """Transfers with one machine; `asset` and `key` as the machine knows them."""

    def __init__(self, host: SasHost, *, asset: int, key: bytes = NO_KEY) -> None:
        self.host = host
        self.asset = asset
        self.key = key

    async def status(self) -> Values:
        """What poll 74 says: lock, what may move, amounts in cents."""
        return await self._asked(LOCK, code=STATUS, condition=0, timeout=0)

    async def lock(self, condition: int, hundredths: int = 500) -> Values:
        """Ask for a lock until transfers of that condition are possible."""
        return await self._asked(LOCK, code=0, condition=condition, timeout=hundredths)

    async def register(self, code: int, *, asset: int | None = None, key: bytes | None = None, pos: int = 0) -> Values:
        """Initialize (00), register (01) or unregister (80)."""
        own = self.asset if asset is None else asset
        return await self._asked(REGISTER, code=code, asset=own, key=self.key if key is None else key, pos_id=pos)

    async def registration(self) -> Values:
        """What poll 73 reads."""
        return await self._asked(REGISTER, code=STATUS)

    async def start(
        self, transaction: str, type_: int, cents: int, *, code: int = FULL_ONLY, flags: int = 0, **other: object
    ) -> Values:
        """Send a transfer; return the machine's first answer. The caller interrogates."""
        self.host.tally.asked(transaction, type_, cents)
        values: dict[str, object] = {
            "code": code,
            "index": 0,
            "type": type_,
            "cashable": cents,
            "restricted": 0,
            "nonrestricted": 0,
            "flags": flags,
            "asset": self.asset,
            "key": self.key,
            "id": transaction,
            "expiration": 0,
            "pool": NO_POOL,
            "receipt": b"",
        }
        return await self._asked(AFT, **(values | other))

    async def interrogate(self, code: int = INTERROGATE, index: int = 0) -> Values:
        """Ask for a transfer's state: FE has no effect, FF closes the cycle of one that is over."""
        return await self._asked(AFT, code=code, index=index)

    async def cancel(self) -> Values:
        """Ask the machine to give a pending transfer up."""
        return await self._asked(AFT, code=CANCEL)

    async def finish(self) -> Values:
        """Interrogate until the status is final, book it, and close the cycle."""
        for _ in range(PATIENCE):
            answer = await self.interrogate()
            if answer["status"] & TOP != PENDING_TOP:
                break
            await self.host.collect()
        else:
            raise AssertionError(f"still pending: {answer}")
        if "id" in answer:
            self.host.tally.ended(answer)
        closed = await self.interrogate(CLOSE)
        if "id" in closed:
            self.host.tally.ended(closed)
        return answer

    async def transfer(self, transaction: str, type_: int, cents: int, **other: object) -> Transfer:
        """Move money and return how it ended; one that was refused at once has no money moved."""
        code = other.pop("code", FULL_ONLY)
        assert isinstance(code, int)
        first = await self.start(transaction, type_, cents, code=code, **other)
        last = await self.finish()
        transfer = self.host.tally.transfers[transaction]
        if transfer.status is None:
            own = last if last.get("id") == transaction else first
            transfer.status = own["status"]
        return transfer

    async def recover(self) -> list[Transfer]:
        """After a cut: learn how every open transfer ended; one that the machine never had is asked for no more.

        The machine's last transfer answers an interrogation of position 0; an older one of ours is over, since a new
        start is refused until the last one's cycle is closed (section 1.7).
        """
        last = await self.finish()
        open_ones = [one for one in self.host.tally.transfers.values() if one.status is None]
        for transfer in open_ones:
            if transfer.id != last.get("id"):
                transfer.status = Aft.NO_INFORMATION
        return open_ones

    async def _asked(self, command: int, **values: object) -> Values:
        answer = await self.host.ask(command, **values)
        if answer is None:
            raise NoAnswerError(f"poll {command:02X} of {values} has no answer")
        return answer
