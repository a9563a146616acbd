"""The far end of an eSSP line, written for the tests alone: keys, counts and checksums by other code than the driver's.

Checksums are crccheck's, blocks are encrypted by `cryptography`, powers are Python's.
"""

import asyncio
import os
import re
from collections.abc import Callable
from typing import Any

from crccheck.crc import Crc16Cms  # type: ignore[import-untyped]
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from drivers.simulated.line import Line

MAKERS = bytes.fromhex("6745230167452301")
SYNC, GENERATOR, MODULUS, EXCHANGE = 0x11, 0x4A, 0x4B, 0x4C
OK, UNKNOWN, FAIL, NO_KEY = b"\xf0", b"\xf2", b"\xf8", b"\xfa"
_FRAME = re.compile(rb"\x7f(?!\x7f)(?:[^\x7f]|\x7f\x7f)*", re.DOTALL)


def checksum(data: bytes) -> bytes:
    return int(Crc16Cms.calc(data)).to_bytes(2, "little")


def framed(head: int, data: bytes) -> bytes:
    body = bytes((head, len(data))) + data
    return b"\x7f" + (body + checksum(body)).replace(b"\x7f", b"\x7f\x7f")


class EsspPeer:
    """One device: answers what `carry_out` says, sealed where the host seals; a repeated frame gets the same answer.

    `fixed` is the fixed half of its key. `widest` is the widest modulus that its arithmetic can do: wider ones give it
    another key than the host's. `wants_key` refuses what is not sealed.
    """

    def __init__(self, address: int, *, fixed: bytes = MAKERS, widest: int = 64, wants_key: bool = False) -> None:
        self.address = address
        self.fixed = fixed
        self.widest = widest
        self.wants_key = wants_key
        self.negotiations = 0
        self.on = True
        self.carried: list[tuple[int, bytes]] = []
        self.secret: Callable[[], int] = lambda: int.from_bytes(os.urandom(4), "little") | 1
        self._line: Line | None = None
        self._buffer = b""
        self._forget()

    def _forget(self) -> None:
        self.key: bytes | None = None
        self.count = 0
        self.flag: int | None = None
        self.newest = b""
        self.answer = b""
        self._generator = self._modulus = 0

    def connect(self, line: Line) -> None:
        self._line = line

    def power(self, *, on: bool) -> None:
        self.on = on
        self._forget()
        self._buffer = b""

    def receive(self, data: bytes) -> None:
        """Take bytes of the host, and answer each whole frame."""
        if not self.on:
            return
        self._buffer += data
        while (found := _FRAME.search(self._buffer)) is not None:
            body = found[0][1:].replace(b"\x7f\x7f", b"\x7f")
            if len(body) < 2 or len(body) < body[1] + 4:
                if found.end() == len(self._buffer):
                    break
                self._buffer = self._buffer[found.end() :]  # cut short: the next one has begun
                continue
            whole = body[: body[1] + 4]
            self._buffer = self._buffer[found.end() :]
            if checksum(whole[:-2]) == whole[-2:]:
                self._frame(whole[0], whole[2:-2])

    def _frame(self, head: int, data: bytes) -> None:
        if head & 0x7F != self.address or not data:
            return
        if data == bytes((SYNC,)):
            self.flag, self.newest, self.answer = None, b"", OK
        elif head & 0x80 != self.flag or data != self.newest:
            if head & 0x80 == self.flag:  # under a known flag it is a repeat, whatever it says
                self._send(head, self.answer)
                return
            answer = self._answered(data)
            if answer is None:
                return
            self.flag, self.newest, self.answer = head & 0x80, data, answer
        self._send(head, self.answer)

    def _send(self, head: int, data: bytes) -> None:
        assert self._line is not None
        self._line.send(framed(head, data))

    def _answered(self, data: bytes) -> bytes | None:
        if data[0] != 0x7E:
            if data[0] in {GENERATOR, MODULUS, EXCHANGE}:
                return self._negotiate(data[0], int.from_bytes(data[1:], "little"))
            return NO_KEY if self.wants_key else self._carry_out(data)
        if self.key is None:
            return NO_KEY
        blocks = Cipher(algorithms.AES(self.key), modes.ECB())  # noqa: S305 - as the protocol says
        opening = blocks.decryptor()
        body = opening.update(data[1:]) + opening.finalize()
        if checksum(body[:-2]) != body[-2:] or int.from_bytes(body[1:5], "little") != self.count:
            return None  # a device ignores what it cannot read
        reply = self._carry_out(body[5 : 5 + body[0]])
        self.count += 1
        plain = bytes((len(reply),)) + self.count.to_bytes(4, "little") + reply
        plain += os.urandom(-(len(plain) + 2) % 16)
        plain += checksum(plain)
        sealing = blocks.encryptor()
        return b"\x7e" + sealing.update(plain) + sealing.finalize()

    def _negotiate(self, command: int, number: int) -> bytes:
        if command == GENERATOR:
            self._generator = number
        elif command == MODULUS:
            self._modulus = number
        elif not self._generator or not self._modulus:
            return FAIL
        else:
            mine = self.secret()
            shared = pow(number, mine, self._modulus)
            if self._modulus.bit_length() > self.widest:
                shared ^= 1
            self.key, self.count = self.fixed + shared.to_bytes(8, "little"), 0
            self.negotiations += 1
            return OK + pow(self._generator, mine, self._modulus).to_bytes(8, "little")
        return OK

    def _carry_out(self, data: bytes) -> bytes:
        self.carried.append((data[0], data[1:]))
        return self.carry_out(data[0], data[1:])

    def carry_out(self, command: int, data: bytes) -> bytes:
        """Return the answer to a command; the serial number, and otherwise that it is not known."""
        del data
        return OK + (4711).to_bytes(4, "big") if command == 0x0C else UNKNOWN


class HopperPeer(EsspPeer):
    """A SMART Hopper: coins of several values, paid one after another on the loop's clock.

    `tray` is what left it, in cents; a power cut in the middle of a payout is reported as an incomplete payout.
    """

    COIN_S = 0.3

    def __init__(self, levels: dict[int, int], **habits: Any) -> None:
        super().__init__(16, wants_key=False, **habits)
        self.levels = dict(levels)
        self.boxed: dict[int, int] | None = {}
        self.tray: list[int] = []
        self.enabled = False
        self.routes: dict[int, int] = {}
        self.events = b""
        self.owed = self.asked = 0
        self.jams_after: int | None = None
        self.orders = 0
        self._paying: asyncio.Task[None] | None = None

    @property
    def paid(self) -> int:
        return self.asked - self.owed

    def power(self, *, on: bool) -> None:
        paying = self._paying is not None
        if self._paying is not None:
            self._paying.cancel()
            self._paying = None
        super().power(on=on)
        if on:
            self.enabled = False
            self.events = b"\xf1"
            if self.asked and (paying or self.owed):
                pair = self.paid.to_bytes(4, "little") + self.asked.to_bytes(4, "little") + b"EUR"
                self.events += b"\xdc\x01" + pair
                self.asked = self.owed = 0

    def carry_out(self, command: int, data: bytes) -> bytes:
        """Answer as the manual's SMART Hopper does."""
        fixed = {0x0C: (4711).to_bytes(4, "big"), 0x06: b"", 0x49: b"", 0x01: b"", 0x20: b"SH0001"}
        if command in fixed:
            return OK + fixed[command]
        carried: dict[int, Callable[[bytes], bytes]] = {
            0x05: lambda _: self._set_up(),
            0x07: lambda _: OK + self._polled(),
            0x09: lambda _: self._able(able=False),
            0x0A: lambda _: self._able(able=True),
            0x22: lambda _: OK + self._listed(self.levels),
            0x33: lambda data: self._order(int.from_bytes(data[:4], "little"), real=data[7] == 0x58),
            0x34: self._added,
            0x38: lambda _: self._halt(),
            0x3B: self._routed,
            0x52: lambda _: self._emptied(),
        }
        if self.boxed is not None:
            carried[0x53] = lambda _: OK + self._listed(self.boxed or {}) + bytes(4)
        return carried[command](data) if command in carried else UNKNOWN

    def _set_up(self) -> bytes:
        values = b"".join(value.to_bytes(2, "little") for value in sorted(self.levels))
        return OK + b"\x030100EUR\x06" + bytes((len(self.levels),)) + values + b"EUR" * len(self.levels)

    def _able(self, *, able: bool) -> bytes:
        self.enabled = able
        return OK

    def _listed(self, coins: dict[int, int]) -> bytes:
        found = b"".join(
            coins.get(value, 0).to_bytes(2, "little") + value.to_bytes(4, "little") + b"EUR"
            for value in sorted(self.levels)
        )
        return bytes((len(self.levels),)) + found

    def _emptied(self) -> bytes:
        cents = sum(value * count for value, count in self.levels.items())
        self.boxed = None if self.boxed is None else dict(self.levels)
        self.levels = dict.fromkeys(self.levels, 0)
        self.events += b"\xb4" + self._amount(cents)
        return OK

    def _added(self, data: bytes) -> bytes:
        self.levels[int.from_bytes(data[2:6], "little")] += int.from_bytes(data[:2], "little")
        return OK

    def _routed(self, data: bytes) -> bytes:
        self.routes[int.from_bytes(data[1:5], "little")] = data[0]
        return OK

    def _order(self, cents: int, *, real: bool) -> bytes:
        if self._paying is not None:
            return b"\xf5\x03"
        if real and not self.enabled:
            return b"\xf5\x04"
        coins = self._coins(cents)
        if coins is None:
            return b"\xf5\x00" if cents > sum(value * count for value, count in self.levels.items()) else b"\xf5\x01"
        if real:
            self.orders += 1
            self.asked = self.owed = cents
            self._paying = asyncio.get_running_loop().create_task(self._pay(coins))
        return OK

    def _coins(self, cents: int) -> list[int] | None:
        """Coins that make up the amount, largest first, by trying; None for none."""
        kept = [value for value in sorted(self.levels, reverse=True) if not self.routes.get(value, 0)]

        def search(left: int, at: int) -> list[int] | None:
            if not left:
                return []
            for index in range(at, len(kept)):
                most = min(self.levels[kept[index]], left // kept[index])
                for count in range(most, 0, -1):
                    rest = search(left - count * kept[index], index + 1)
                    if rest is not None:
                        return [kept[index]] * count + rest
            return None

        return search(cents, 0)

    async def _pay(self, coins: list[int]) -> None:
        for number, coin in enumerate(coins):
            await asyncio.sleep(self.COIN_S)
            if number == self.jams_after:
                self.events += b"\xd5" + self._amount(self.paid)
                self.jams_after = None
                break
            self.tray.append(coin)
            self.levels[coin] -= 1
            self.owed -= coin
        else:
            self.events += b"\xd2" + self._amount(self.paid)
        self._paying = None
        self.asked = self.owed = 0

    def _halt(self) -> bytes:
        if self._paying is None:
            return b"\xf5"
        self._paying.cancel()
        self._paying = None
        self.events += b"\xd6" + self._amount(self.paid)
        self.asked = self.owed = 0
        return OK

    def _polled(self) -> bytes:
        events, self.events = self.events, b""
        return events + (b"\xda" + self._amount(self.paid) if self._paying is not None else b"")

    @staticmethod
    def _amount(cents: int) -> bytes:
        return b"\x01" + cents.to_bytes(4, "little") + b"EUR"
