"""Commands to an SSP payout device and their answers (GA138, "SMART Hopper" and "SMART Payout")."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from drivers.errors import WireError
from drivers.ssp.link import Answer, SspLink
from drivers.ssp.protocol import Command, PolledEvent, Reply
from drivers.ssp.stock import Stock, levels

_TEST: Final = b"\x19"
_FOR_REAL: Final = b"\x58"
_NO_OPTIONS: Final = b"\x00"
_TO_PAYOUT: Final = b"\x00"
_TO_CASH_BOX: Final = b"\x01"
_MOST_LEAST: Final = 0xFFFF
BUSY: Final = 3

REFUSALS: Final = {
    0: "it holds too little",
    1: "it cannot pay the amount exactly",
    BUSY: "it is busy",
    4: "it is disabled",
}
"""The byte after `CANNOT_BE_PROCESSED` in an answer to a payout."""

LACKS: Final = frozenset({0, 1})
"""Refusals because coins or notes are missing."""


class PayoutWire:
    """One payout device; every method raises what the link raises.

    `enabled_by` and `disabled_by` are the commands that enable and disable it. `poll` returns the events of the next
    poll; `acknowledge` acknowledges them and returns whether that is done.
    """

    def __init__(
        self,
        link: SspLink,
        *,
        unit_cents: int,
        currency: str,
        enabled_by: Command,
        disabled_by: Command,
        poll: Callable[[], Awaitable[tuple[PolledEvent, ...]]],
        acknowledge: Callable[[], Awaitable[bool]],
    ) -> None:
        self._link = link
        self._unit_cents = unit_cents
        self._currency = currency
        self._enabled_by = enabled_by
        self._disabled_by = disabled_by
        self.poll = poll
        self.acknowledge = acknowledge

    def __repr__(self) -> str:
        return f"<PayoutWire {self._link.path}>"

    def __str__(self) -> str:
        return self._link.path

    async def stock(self) -> Stock:
        """Return the stock for payouts."""
        answer = await self._must(Command.ALL_LEVELS)
        try:
            return Stock(levels(answer.data), self._unit_cents, self._currency)
        except ValueError as error:
            raise WireError(f"{self._link.path}: {error}") from error

    async def boxed(self) -> dict[int, int] | None:
        """Return the pieces by value in cents that its newest operation moved into the cash box, None if unknown.

        GA138, "Cashbox Payout Operation Data": a list in the format of the levels, then the number of unrecognised
        pieces.
        """
        answer = await self._link.whole(Command.CASHBOX_OPERATION)
        if not answer.ok:
            return None
        try:
            return Stock(levels(answer.data), self._unit_cents, self._currency).pieces
        except ValueError as error:
            raise WireError(f"{self._link.path}: {error}") from error

    async def enable(self) -> None:
        """Enable payouts; some devices require an options byte."""
        answer = await self._link.whole(self._enabled_by)
        if answer.reply == Reply.WRONG_PARAMETERS:
            await self._must(self._enabled_by, _NO_OPTIONS)
        elif not answer.ok:
            raise self._refused(answer, self._enabled_by, b"")

    async def disable(self) -> None:
        """Disable payouts."""
        await self._link.whole(self._disabled_by)

    async def route(self, cents: int, *, kept: bool) -> None:
        """Route coins or notes of that value to the payout store or to the cash box."""
        value = cents.to_bytes(4, "little") + self._currency.encode("ascii")
        await self._must(Command.SET_ROUTE, (_TO_PAYOUT if kept else _TO_CASH_BOX) + value)

    async def add(self, coins: int, cents: int) -> None:
        """Report to the device that `coins` coins of that value were put in."""
        value = coins.to_bytes(2, "little") + cents.to_bytes(4, "little") + self._currency.encode("ascii")
        await self._must(Command.SET_LEVEL, value)

    async def refusal(self, units: int) -> int | None:
        """Test whether the device can pay `units`; return the refusal (`REFUSALS`) or None. Nothing is paid."""
        return _why(await self._link.whole(Command.PAYOUT_AMOUNT, self._amount(units) + _TEST))

    async def dispense(self, units: int) -> int | None:
        """Order `units` once; return the refusal (`REFUSALS`), or None if the device pays.

        After an exception it is unknown whether the device pays: its stock shows that when it is idle.
        """
        order = self._amount(units) + _FOR_REAL
        return _why(await self._link.whole(Command.PAYOUT_AMOUNT, order))

    async def keep(self, units: int, pieces: Mapping[int, int]) -> int | None:
        """Move all but `units` into the cash box; return the refusal, or None if the device starts the move.

        For 0 units this is the smart empty, which counts, or the empty command if the device does not support that. The
        minimum payout of a float is set to the largest piece, which does not restrict the pieces that are kept.
        """
        if units:
            least = min(max(pieces, default=0), _MOST_LEAST).to_bytes(2, "little")
            return _why(await self._link.whole(Command.FLOAT_AMOUNT, least + self._amount(units) + _FOR_REAL))
        answer = await self._link.whole(Command.SMART_EMPTY)
        if answer.reply == Reply.UNKNOWN_COMMAND:
            answer = await self._link.whole(Command.EMPTY)
        return _why(answer)

    async def halt(self) -> None:
        """Halt the payout; the refusal of an idle device is ignored."""
        await self._link.whole(Command.HALT_PAYOUT)

    def _amount(self, units: int) -> bytes:
        return (units * self._unit_cents).to_bytes(4, "little") + self._currency.encode("ascii")

    async def _must(self, command: Command, data: bytes = b"") -> Answer:
        answer = await self._link.whole(command, data)
        if not answer.ok:
            raise self._refused(answer, command, data)
        return answer

    def _refused(self, answer: Answer, command: Command, data: bytes) -> WireError:
        why = f" {answer.data.hex()}" if answer.data else ""
        return WireError(
            f"{self._link.path}: the device answers {answer.reply:02X}{why} to {command.name.lower()} "
            f"({command:02X} {data.hex()}): look it up in its manual, or reset it"
        )


def _why(answer: Answer) -> int | None:
    """Return the refusal in an answer to a payout command; a refusal without a reason counts as busy."""
    if answer.ok:
        return None
    return answer.data[0] if answer.reply == Reply.CANNOT_BE_PROCESSED and answer.data else BUSY
