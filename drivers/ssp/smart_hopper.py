"""Driver of a SMART Hopper, which holds coins of several values and pays amounts (GA138, "SMART Hopper")."""

import asyncio
import logging
import os
from typing import Final

from drivers.capabilities import StockListener
from drivers.clock import Clock
from drivers.currency import Currency, foreign
from drivers.device_words import readable
from drivers.errors import IdentityError, KeyLostError, SettingsError
from drivers.port import Port
from drivers.ssp.dispenser import WATCH_S, SspDispenser
from drivers.ssp.exchange import Randomness
from drivers.ssp.key import fixed_key
from drivers.ssp.link import Answer, SspLink
from drivers.ssp.payout_events import ACKNOWLEDGED
from drivers.ssp.payout_wire import PayoutWire
from drivers.ssp.protocol import Command, PolledEvent, events
from drivers.wiring import Hopper as Settings

_log = logging.getLogger(__name__)

ADDRESS: Final = 16
VERSION: Final = b"\x06"
"""The protocol version of the events in `payout_events`."""

KINDS: Final = frozenset({3, 9})
"""Unit types: SMART Hopper, SMART Coin System."""

LEAST_GAP_S: Final = 0.05
MOST_ADDED: Final = 0xFFFF
_HEAD: Final = 10
_MECH_OFF: Final = b"\x00"


class Coins(dict[str, list[int]]):
    """The coins in a setup answer: values in cents by currency."""

    @classmethod
    def of(cls, data: bytes) -> "Coins":
        """Decode the answer to `SETUP`; raise `ValueError` if it is not a hopper's or is cut short."""
        if len(data) < _HEAD or data[0] not in KINDS:
            kind = f"unit type {data[0]:02X}" if data else "nothing"
            raise ValueError(f"the set-up answer is no hopper's ({kind})")
        count, rest = data[_HEAD - 1], data[_HEAD:]
        if len(rest) < 2 * count:
            raise ValueError(f"the set-up answer names {count} coins and ends after {len(data)} bytes")
        codes = rest[2 * count : 5 * count]
        found = cls()
        for at in range(count):
            code = readable(codes[3 * at : 3 * at + 3]) or readable(data[5:8])
            found.setdefault(code, []).append(int.from_bytes(rest[2 * at : 2 * at + 2], "little"))
        return found


class SmartHopper(SspDispenser):
    """A SMART Hopper on an unshared line; only eSSP (encrypted) is supported.

    Coins that are multiples of `coin_value_cents` are kept for payouts; others go to its cash box. Raises
    `SettingsError` for settings that cannot work.
    """

    low_units = 20
    takes_coins = True

    def __init__(
        self,
        settings: Settings,
        port: Port,
        clock: Clock,
        listener: StockListener,
        *,
        currency: Currency,
        random: Randomness = os.urandom,
    ) -> None:
        super().__init__(settings, clock, listener, currency=currency)
        self._port = port
        self._fixed = fixed_key(settings.ssp_key)
        self._random = random
        self._link: SspLink | None = None
        self._kept: tuple[PolledEvent, ...] = ()
        self._repeats = False
        self._unacknowledged = False

    async def run(self) -> None:
        """Serve the device until cancelled; raise a `DriverError` when it is lost."""
        gap_s = max(self._settings.poll_ms / 1000, LEAST_GAP_S)
        link = SspLink(self._port, self._clock, gap_s, address=ADDRESS, device="hopper", random=self._random)
        self._link = link
        try:
            await self._port.open()
            while True:
                try:
                    await self._converse(link)
                except KeyLostError as lost:
                    _log.info("%s; it is set up anew", lost)
                    self._lost()
        except asyncio.CancelledError:
            # A payout that is cancelled too needs the line a moment longer, to be halted (P6).
            await self._last_word()
            raise
        finally:
            self.stop()

    async def _converse(self, link: SspLink) -> None:
        """Serve the device until it restarts; raise `KeyLostError` then."""
        await link.sync()
        if not await link.negotiate(self._fixed):
            raise IdentityError(
                f"{self._port.path}: the hopper knows no encryption (eSSP), without which it pays nothing: fit a "
                "SMART Hopper, or correct `protocol` in [hopper]"
            )
        serial, identity, coins = await self._identify(link)
        wire = PayoutWire(
            link,
            unit_cents=self.coin_value_cents,
            currency=self._currency.code,
            enabled_by=Command.ENABLE,
            disabled_by=Command.DISABLE,
            poll=lambda: self._poll(link),
            acknowledge=lambda: self._acknowledge(link),
        )
        self._repeats = True
        said = await link.whole(Command.POLL_WITH_ACK)
        self._repeats = said.ok
        # Unacknowledged events are repeated by the next poll; keeping them here would count them twice.
        self._kept = tuple(one for one in self._read(said) if one.event not in ACKNOWLEDGED)
        await self._set_up(link, wire, coins)
        await self._found(identity, serial, wire)
        while True:
            await self._clock.sleep(WATCH_S)
            await self._watch(wire)

    def stop(self) -> None:
        """Close the port; a payout in progress fails and continues later as an interrupted order."""
        self._lost()
        if self._link is not None:
            self._link.drop()
        self._port.close()

    async def _between_orders(self, wire: PayoutWire) -> None:
        if coins := await self._listener.coins_put_in(self._serial):
            await wire.add(min(coins, MOST_ADDED), self.coin_value_cents)

    async def _poll(self, link: SspLink) -> tuple[PolledEvent, ...]:
        """Poll once; with the acknowledged poll the device repeats a payout's end until it is acknowledged."""
        answer = await link.whole(Command.POLL_WITH_ACK if self._repeats else Command.POLL)
        kept, self._kept = self._kept, ()
        return kept + self._read(answer)

    def _read(self, answer: Answer) -> tuple[PolledEvent, ...]:
        """Decode a poll's events; discard an invalid answer as a whole: the device's levels decide."""
        try:
            said = tuple(events(answer.data)) if answer.ok else ()
        except ValueError as error:
            _log.warning("%s: %s", self._port.path, error)
            return ()
        self._unacknowledged = self._repeats and any(one.event in ACKNOWLEDGED for one in said)
        return said

    async def _acknowledge(self, link: SspLink) -> bool:
        if self._unacknowledged:
            self._unacknowledged = False
            await link.whole(Command.EVENT_ACK)
        return True

    async def _identify(self, link: SspLink) -> tuple[int, str, list[int]]:
        """Return serial number, identity and the coin values of the cabinet's currency.

        Raise `IdentityError` for a wrong device, `CurrencyError` if it has only foreign coins.
        """
        serial = int.from_bytes((await link.command(Command.SERIAL_NUMBER)).data, "big")
        if self._settings.serial not in {0, serial}:
            raise IdentityError(
                f"{self._port.path}: the hopper has serial number {serial}, cabinet.toml says "
                f"{self._settings.serial}: put the right device back, or correct `serial`"
            )
        if not (await link.command(Command.PROTOCOL_VERSION, VERSION)).ok:
            raise IdentityError(f"{self._port.path}: the hopper does not know protocol version 6: update its firmware")
        answer = await link.command(Command.SETUP)
        try:
            found = Coins.of(answer.data if answer.ok else b"")
        except ValueError as error:
            raise IdentityError(f"{self._port.path}: {error}; check the device and its dataset") from error
        if self._currency.code not in found:
            raise foreign(
                self._port.path, [f"coins of {code or 'no currency'}" for code in sorted(found)], self._currency
            )
        firmware = await link.command(Command.FIRMWARE)
        version = readable(firmware.data) if firmware.ok else "unknown"
        return serial, f"SMART Hopper, serial number {serial}, firmware {version}", found[self._currency.code]

    async def _set_up(self, link: SspLink, wire: PayoutWire, coins: list[int]) -> None:
        """Route the coins and inhibit the hopper's own coin mech, whose coins would not be credited."""
        kept = [cents for cents in coins if not cents % self.coin_value_cents]
        if not kept:
            raise SettingsError(
                f"[hopper] coin_value_cents = {self.coin_value_cents}: the hopper's coins are {sorted(coins)}, and "
                "none is a multiple of it"
            )
        await link.command(Command.COIN_MECH_INHIBIT, _MECH_OFF)
        for cents in coins:
            await wire.route(cents, kept=cents in kept)
        await wire.disable()
