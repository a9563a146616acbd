"""The settings that a host has made in an ID-003 device since its last reset, and their defaults."""

from typing import Final

from drivers.simulated.id003 import barcode
from drivers.simulated.id003.frames import (
    ESCROW_CODES,
    POWER_RECOVERY,
    REJECT_DENOMINATION,
    REJECT_INHIBITED,
    Command,
)

_SIZES: Final[dict[int, int]] = {
    Command.SET_DENOMINATIONS: 2,
    Command.SET_SECURITY: 2,
    Command.SET_MODE: 1,
    Command.SET_INHIBIT: 1,
    Command.SET_DIRECTION: 1,
    Command.SET_OPTIONS: 2,
    Command.SET_BARCODE: 2,
    Command.SET_BARCODE_INHIBIT: 1,
}
_OF_READER: Final = (Command.SET_BARCODE, Command.SET_BARCODE_INHIBIT)
_GET_TO_SET: Final = 0x40
"""The distance between a setting's GET and its SET command."""
_INTERRUPT: Final = b"\x01"


class HostSettings:
    """The settings by their SET command; it contains only those set since `forget`.

    `unset_bar_inhibit` is the bar inhibit until it is set, None in a device without a barcode reader, which has no
    barcode settings.
    """

    def __init__(self, unset_bar_inhibit: int | None) -> None:
        self._unset = {code: bytes(size) for code, size in _SIZES.items()} | {Command.SET_INHIBIT: b"\x01"}
        if unset_bar_inhibit is None:
            for code in _OF_READER:
                del self._unset[code]
        else:
            self._unset[Command.SET_BARCODE_INHIBIT] = bytes((unset_bar_inhibit,))
        self._set: dict[int, bytes] = {}

    def __contains__(self, command: int) -> bool:
        return command in self._set

    def forget(self) -> None:
        """Clear all settings."""
        self._set = {}

    def keep(self, command: int, data: bytes) -> bool:
        """Store a setting; return False, and store nothing, for one the device does not support."""
        known = command in self._unset and len(data) == _SIZES[command]
        if not known or (command == Command.SET_BARCODE and not barcode.reads(data)):
            return False
        self._set[command] = data
        return True

    def answer(self, command: int) -> bytes | None:
        """Return the setting that a GET command requests, None for any other command."""
        setting = command + _GET_TO_SET
        return self._value(setting) if setting in self._unset else None

    @property
    def inhibited(self) -> bool:
        """Whether all paper is inhibited."""
        return self._value(Command.SET_INHIBIT) != b"\x00"

    @property
    def interrupts(self) -> bool:
        """Whether the device reports status changes unasked."""
        return self._value(Command.SET_MODE) == _INTERRUPT

    @property
    def recovers(self) -> bool:
        """Whether vend valid is repeated after a power cut."""
        return bool(self._value(Command.SET_OPTIONS)[0] & POWER_RECOVERY)

    def takes_note(self, escrow_code: int) -> bool:
        """Return whether notes with this code are enabled."""
        disabled = int.from_bytes(self._value(Command.SET_DENOMINATIONS), "little")
        return not disabled >> (escrow_code - ESCROW_CODES.start) & 1

    def ticket_refusal(self, ticket: str, *, readable: bool) -> int | None:
        """Return why a ticket is rejected, None if it is accepted."""
        if Command.SET_BARCODE not in self._unset:
            return REJECT_DENOMINATION
        if self.bars(barcode.Inhibit.TICKETS):
            return REJECT_INHIBITED
        function, options = self._set.get(Command.SET_BARCODE, b""), self._value(Command.SET_OPTIONS)
        return barcode.refusal(ticket if readable else "", function, options)

    def bars(self, paper: barcode.Inhibit) -> bool:
        """Return whether the bar inhibit inhibits such paper."""
        inhibit = self._set.get(Command.SET_BARCODE_INHIBIT) or self._unset.get(Command.SET_BARCODE_INHIBIT, b"\x00")
        return bool(inhibit[0] & paper)

    def _value(self, command: int) -> bytes:
        return self._set.get(command) or self._unset[command]
