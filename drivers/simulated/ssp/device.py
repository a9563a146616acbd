"""Base of simulated SSP devices: receive packets for an address, repeat the last reply, negotiate a key."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from drivers.simulated.line import Line
from drivers.simulated.ssp.encryption import FIXED_KEY, NUMBER_BYTES, STEX, Encryption
from drivers.simulated.ssp.frames import FLAG, Command, Frame, FrameParser, Reply, encode

MONEY_COMMANDS: Final = frozenset(
    {
        Command.PAYOUT_AMOUNT,
        Command.SET_LEVEL,
        Command.HALT,
        Command.SET_ROUTE,
        Command.ROUTE,
        Command.FLOAT_AMOUNT,
        Command.EMPTY,
        Command.COIN_INHIBITS,
        Command.FLOAT_BY_DENOMINATION,
        Command.PAYOUT_BY_DENOMINATION,
        Command.SMART_EMPTY,
        Command.POLL_WITH_ACK,
        Command.EVENT_ACK,
        Command.SET_FIXED_KEY,
    }
)
"""The commands that an encrypting device accepts only encrypted (GA138; GA401, table 10, with an asterisk).

It answers all others in plain, with or without a key: the manual calls encryption optional for them, and public hosts
request the protocol version (06), the setup or the serial number before they exchange keys.
"""

REFUSALS: Final = {
    Command.SET_GENERATOR: Reply.OUT_OF_RANGE,
    Command.SET_MODULUS: Reply.OUT_OF_RANGE,
    Command.KEY_EXCHANGE: Reply.FAIL,
    Command.RESET_FIXED_KEY: Reply.CANNOT_BE_PROCESSED,
}
"""The answer to numbers that are not prime, to a key exchange without them, and to a refused key reset."""


class SspDevice:
    """A device at `address`, off at first. Without `encryption` it does not support eSSP."""

    def __init__(self, address: int, encryption: Encryption | None) -> None:
        self.address = address
        self.encryption = encryption
        self.powered = False
        self._line: Line | None = None
        self._parser = FrameParser()
        self._last: tuple[int, bytes] | None = None
        self._credits = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address} {'on' if self.powered else 'off'}>"

    def connect(self, line: Line) -> None:
        """Keep the line on which to answer."""
        self._line = line

    def receive(self, data: bytes) -> None:
        """Handle bytes from the host."""
        if not self.powered:
            return
        for frame in self._parser.feed(data):
            if frame.address == self.address and frame.data:
                self._hear(frame)

    @abstractmethod
    def power(self, *, on: bool) -> None:
        """Switch the mains on or off."""

    @abstractmethod
    def _obey(self, command: int, data: bytes) -> bytes:
        """Carry out a command and return the reply."""

    @abstractmethod
    def _heard(self) -> None:
        """Note that the host was heard."""

    def _forget_talk(self) -> None:
        """Clear the dialogue's state and the key, as after a start."""
        self._parser = FrameParser()
        self._last = None
        if self.encryption is not None:
            self.encryption.forget()

    def _hear(self, frame: Frame) -> None:
        self._heard()
        flag = frame.head & FLAG
        if frame.data[0] == Command.SYNC:
            self._answer(frame.head, bytes((Reply.OK,)))
            self._last = (FLAG, b"")
        elif self._last is not None and self._last[0] == flag and self._last[1]:
            self._send(frame.head, self._last[1])
        elif frame.data[0] == STEX and self.encryption is not None:
            self._hear_encrypted(frame.head, self.encryption, frame.data)
        else:
            self._answer(frame.head, self._reply_to_plain(frame.data))

    def _hear_encrypted(self, head: int, encryption: Encryption, packet: bytes) -> None:
        if not encryption.agreed:
            self._answer(head, bytes((Reply.KEY_NOT_SET,)))
            return
        message = encryption.open(packet)
        if message is None:
            return
        # a command that clears the key is still answered with that key
        seal = encryption.sealed()
        self._answer(head, seal(self._reply(message)))

    def _reply_to_plain(self, message: bytes) -> bytes:
        encryption = self.encryption
        if encryption is None:
            return self._reply(message)
        if message[0] in MONEY_COMMANDS:
            return bytes((Reply.KEY_NOT_SET,))
        self._credits = False
        reply = self._reply(message)
        # an answer with a credit is always encrypted once there is a key (GA138, encryption layer)
        return encryption.sealed()(reply) if self._credits and encryption.agreed else reply

    def _reply(self, message: bytes) -> bytes:
        if self.encryption is not None:
            answer = self._negotiate(self.encryption, message[0], message[1:])
            if answer is not None:
                return answer
        return self._obey(message[0], message[1:])

    def _negotiate(self, encryption: Encryption, command: int, data: bytes) -> bytes | None:
        """Answer a key command (GA138, pages 126 to 128, 136, 137); return None for any other."""
        takes: dict[int, Callable[[int], bool | int | None]] = {
            Command.SET_GENERATOR: encryption.set_generator,
            Command.SET_MODULUS: encryption.set_modulus,
            Command.KEY_EXCHANGE: encryption.exchange,
            Command.SET_FIXED_KEY: encryption.set_fixed,
            Command.RESET_FIXED_KEY: lambda _number: self._reset_fixed_key(encryption),
        }
        if command not in takes:
            return None
        if len(data) != (0 if command == Command.RESET_FIXED_KEY else NUMBER_BYTES):
            return bytes((Reply.WRONG_PARAMETERS,))
        result = takes[command](int.from_bytes(data, "little"))
        if result is True:
            return bytes((Reply.OK,))
        if isinstance(result, bool) or result is None:
            return bytes((REFUSALS[Command(command)],))
        return bytes((Reply.OK,)) + result.to_bytes(NUMBER_BYTES, "little")

    def _may_reset_key(self) -> bool:
        """Return whether the fixed key may be reset to the maker's: in a payout device only if it is empty."""
        return True

    def _reset_fixed_key(self, encryption: Encryption) -> bool:
        if not self._may_reset_key():
            return False
        encryption.fixed = FIXED_KEY
        self.power(on=False)
        self.power(on=True)
        return True

    def _answer(self, head: int, data: bytes) -> None:
        self._last = (head & FLAG, data)
        self._send(head, data)

    def _send(self, head: int, data: bytes) -> None:
        if self._line is not None:
            self._line.send(encode(head, data))
