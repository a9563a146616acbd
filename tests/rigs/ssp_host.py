"""A host's end of an SSP line, with its own eSSP: nothing of the simulated device's code is in it."""

import asyncio
import os

from crccheck.crc import Crc16Cms
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from drivers.simulated.line import LineDevice
from drivers.simulated.memory_line import MemoryLine

MAKERS_KEY = 0x0123456701234567
GENERATOR, MODULUS, SECRET = 982_451_653, 1_287_821, 77_777
"""The primes of the manual's pages 126 and 127."""


class SspHost:
    """Asks `device`, which `open` switches on, at `address`; `key` is the fixed part of its key."""

    def __init__(self, device: LineDevice, address: int, key: int = MAKERS_KEY) -> None:
        self.device = device
        self.address = address
        self.fixed = key
        self.line = MemoryLine(device)
        self.port = self.line.port
        self.flag = 0x80
        self.count = 0
        self.key: bytes | None = None

    async def open(self) -> "SspHost":
        """Switch the device on and listen."""
        self.device.power(on=True)
        await self.port.open()
        return self

    def packet(self, data: bytes) -> bytes:
        """The bytes of a packet with the present sequence flag."""
        body = bytes((self.address | self.flag, len(data))) + data
        return b"\x7f" + (body + Crc16Cms.calc(body).to_bytes(2, "little")).replace(b"\x7f", b"\x7f\x7f")

    async def say(self, raw: bytes) -> bytes:
        """Return the data of the answer to `raw`, empty for silence."""
        await self.port.write(raw)
        await asyncio.sleep(0.02)
        heard = (await self.port.read(0)).replace(b"\x7f\x7f", b"\x7f")
        if not heard:
            return b""
        body = heard[1:-2]
        assert heard[0] == 0x7F
        assert Crc16Cms.calc(body).to_bytes(2, "little") == heard[-2:]
        assert (body[0], body[1]) == (self.address | self.flag, len(body) - 2)
        return body[2:]

    async def plain(self, *data: int) -> bytes:
        """Return the answer to a plain command."""
        answer = await self.say(self.packet(bytes(data)))
        self.flag ^= 0x80 if answer else 0
        return answer

    async def sync(self) -> bytes:
        """Begin the sequence anew."""
        self.flag = 0x80
        answer = await self.say(self.packet(b"\x11"))
        self.flag = 0
        return answer

    async def negotiate(self, secret: int = SECRET) -> None:
        """Agree upon a key."""
        assert await self.sync() == b"\xf0"
        for command, number in ((0x4A, GENERATOR), (0x4B, MODULUS)):
            assert await self.plain(command, *number.to_bytes(8, "little")) == b"\xf0"
        answer = await self.plain(0x4C, *pow(GENERATOR, secret, MODULUS).to_bytes(8, "little"))
        assert (answer[0], len(answer)) == (0xF0, 9)
        shared = pow(int.from_bytes(answer[1:], "little"), secret, MODULUS)
        self.key = self.fixed.to_bytes(8, "little") + shared.to_bytes(8, "little")
        self.count = 0

    def enciphered(self, data: bytes) -> bytes:
        """The data of an encrypted packet that carries `data`."""
        assert self.key is not None
        text = bytes((len(data),)) + self.count.to_bytes(4, "little") + data
        text += os.urandom(-(len(text) + 2) % 16)
        text += Crc16Cms.calc(text).to_bytes(2, "little")
        return b"\x7e" + Cipher(algorithms.AES(self.key), modes.ECB()).encryptor().update(text)  # noqa: S305  (the protocol has it so)

    def deciphered(self, data: bytes) -> bytes:
        """What an encrypted answer carries; its count must be the next one."""
        assert self.key is not None
        assert data[0] == 0x7E
        text = Cipher(algorithms.AES(self.key), modes.ECB()).decryptor().update(data[1:])  # noqa: S305  (as above)
        assert Crc16Cms.calc(text[:-2]).to_bytes(2, "little") == text[-2:]
        assert int.from_bytes(text[1:5], "little") == self.count
        return text[5 : 5 + text[0]]

    async def ask(self, *data: int) -> bytes:
        """Return what is answered, encrypted, to an encrypted command; a plain answer as it is, empty for silence."""
        answer = await self.say(self.packet(self.enciphered(bytes(data))))
        if not answer:
            return b""
        self.flag ^= 0x80
        if answer[0] != 0x7E:
            return answer
        self.count += 1
        return self.deciphered(answer)

    async def asked(self, words: str) -> str:
        """`ask`, in hex."""
        return (await self.ask(*bytes.fromhex(words))).hex(" ").upper()
